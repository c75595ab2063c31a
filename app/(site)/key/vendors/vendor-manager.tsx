"use client";

import { type FormEvent, type ReactNode, type SyntheticEvent, useState } from "react";
import { SignificanceBadge, VendorStatusBadge } from "../../../_components/badge";
import { InputField, SelectField } from "../../../_components/field";
import { scrollBox } from "../../../_components/scroll-box";
import type { SendRequest } from "../api-request";
import { ConfirmButton } from "../confirm-button";
import { FormFooter } from "../form-footer";
import { formatDateTime } from "../format-date-time";
import styles from "../key.module.css";
import { ListSection, ProOnly } from "../list-section";
import { useSubmit } from "../use-submit";

/** A vendor of the account, in the API's format. */
type CustomVendor = {
  name: string;
  slug: string;
  category: string;
  status: string;
  llms_txt_url: string;
  last_fetched_at: string | null;
  next_fetch_at: string;
  failure: string | null;
  latest_change: Change | null;
};

type Change = {
  id: string;
  created_at: string;
  lines_added: number;
  lines_removed: number;
  summary: string | null;
  significance: number | null;
};

type CustomVendors = { count: number; limit: number; vendors: CustomVendor[] };
type VendorAddition = { vendor: { name: string; slug: string }; fetch: { at: string | null; note: string } };

type AddVendorProps = { sendRequest: SendRequest; categories: readonly string[]; onAdded: () => void };

const hint = "A public page of plain text or markdown, such as an llms.txt.";
const urlError = "The URL must start with https:// or http://.";
const empty = { url: "", name: "", category: "developer-tools" };

/** The form for a new vendor. */
function AddVendor({ sendRequest, categories, onAdded }: AddVendorProps) {
  const [values, setValues] = useState(empty);
  const [result, setResult] = useState<string>();
  const { error, setError, isBusy, submit } = useSubmit(sendRequest);
  const change = (changes: Partial<typeof empty>) => setValues((before) => ({ ...before, ...changes }));
  const add = (event: FormEvent) => {
    event.preventDefault();
    const url = values.url.trim();
    const name = values.name.trim();
    setResult(undefined);
    if (!/^https?:\/\/\S+$/i.test(url)) return setError(urlError);
    const body = { url, category: values.category, ...(name && { name }) };
    return submit<VendorAddition>("/api/v1/vendors", { method: "POST", body }, ({ vendor, fetch: { note } }) => {
      setValues(empty);
      setResult(`${vendor.name}: ${note}`);
      onAdded();
    });
  };
  return (
    <form onSubmit={add} className={styles.form} noValidate>
      <InputField
        id="vendor-url"
        label="URL to track"
        hint={hint}
        error={error}
        type="url"
        placeholder="https://docs.example.com/llms.txt"
        value={values.url}
        onChange={({ target }) => change({ url: target.value })}
      />
      <div className={styles.fields}>
        <InputField
          id="vendor-name"
          label="Name (default: its host)"
          type="text"
          maxLength={80}
          value={values.name}
          onChange={({ target }) => change({ name: target.value })}
        />
        <SelectField
          id="vendor-category"
          label="Category"
          choices={categories}
          value={values.category}
          onChange={({ target }) => change({ category: target.value })}
        />
      </div>
      <FormFooter isBusy={isBusy} label="Add vendor" busyLabel="Adding…" result={result} error={error} />
    </form>
  );
}

type LatestChangeProps = { slug: string; name: string; change: Change; sendRequest: SendRequest };

const formatLines = (count: number) => `${count.toLocaleString("en")} ${count === 1 ? "line" : "lines"}`;

/** The latest change of a vendor of the account. Its lines are loaded with the key: the site has no page for it. */
function LatestChange({ slug, name, change, sendRequest }: LatestChangeProps) {
  const { created_at: at, lines_added: added, lines_removed: removed, summary, significance } = change;
  const [text, setText] = useState<string>();
  const { error, isBusy, submit } = useSubmit(sendRequest);
  const load = ({ currentTarget }: SyntheticEvent<HTMLDetailsElement>) => {
    if (!currentTarget.open || isBusy || text !== undefined) return;
    void submit<{ diffs: { diff_text?: string }[] }>(`/api/v1/vendors/${slug}/diffs?limit=1`, {}, ({ diffs }) =>
      setText(diffs[0]?.diff_text ?? "The change is no longer stored."),
    );
  };
  return (
    <div className={styles.change}>
      <p className={styles.note}>
        <span>
          Latest change: <time dateTime={at}>{formatDateTime(at)}</time>
        </span>
        {significance !== null && <SignificanceBadge significance={significance} />}
      </p>
      <p dir="auto">{summary ?? "Not analysed yet."}</p>
      <details onToggle={load}>
        <summary>
          {formatLines(added)} added, {removed.toLocaleString("en")} removed
          <span className="visually-hidden"> in {name}</span>
        </summary>
        {text !== undefined && <pre {...scrollBox(`Changed lines of ${name}`)}>{text}</pre>}
        <p role="status" className={error ? styles.failed : styles.note}>
          {isBusy ? "Loading the changed lines…" : error}
        </p>
      </details>
    </div>
  );
}

type VendorItemProps = {
  vendor: CustomVendor;
  /** Whether this server fetches vendors. */
  isFetched: boolean;
  sendRequest: SendRequest;
  onChanged: () => void;
};

function describeFetches(vendor: CustomVendor, isFetched: boolean): string {
  const { last_fetched_at: last, next_fetch_at: next, failure } = vendor;
  const parts = [
    last && `last fetched ${formatDateTime(last)}`,
    failure && `the last attempt failed: ${failure.replaceAll("_", " ")}`,
    isFetched ? `next fetch due ${formatDateTime(next)}` : "fetching is off",
  ];
  return parts.filter(Boolean).join("; ");
}

/** A vendor of the account, which can be removed. */
function VendorItem({ vendor, isFetched, sendRequest, onChanged }: VendorItemProps) {
  const { name, slug, category, status, llms_txt_url: url, last_fetched_at: last, latest_change: change } = vendor;
  const { error, isBusy, submit } = useSubmit(sendRequest);
  const remove = () => submit(`/api/v1/vendors/${slug}`, { method: "DELETE" }, onChanged);
  return (
    <li className={styles.item}>
      <h3 className={styles.name}>{name}</h3>
      <p className={styles.note}>
        <a href={url} target="_blank" rel="noopener noreferrer nofollow">
          {url}
        </a>
      </p>
      <p className={styles.note}>
        <VendorStatusBadge status={status} hasVersion={last !== null} /> {category}, slug <code>{slug}</code>;{" "}
        {describeFetches(vendor, isFetched)}
      </p>
      {change && <LatestChange key={change.id} slug={slug} name={name} change={change} sendRequest={sendRequest} />}
      <div className={styles.buttons}>
        <ConfirmButton
          variant="quiet"
          label="Remove"
          confirmLabel="Remove now"
          question="Its history is deleted too."
          disabled={isBusy}
          onConfirm={remove}
        />
        <p role="status" className={error ? styles.failed : styles.note}>
          {isBusy ? "Removing…" : error}
        </p>
      </div>
    </li>
  );
}

type Props = {
  sendRequest: SendRequest;
  tier: string;
  categories: readonly string[];
  /** Says that vendors are not fetched on this server; false if they are. */
  fetchingNotice: ReactNode;
};

const heading = { id: "vendors", title: "Your vendors" };

/** The vendors of the key's account, from Pro on. Lower tiers see which tier they need. */
export function VendorManager({ sendRequest, tier, categories, fetchingNotice }: Props) {
  if (tier !== "pro") {
    return (
      <ProOnly {...heading} notice="Vendors of your own are part of Pro.">
        Track any public llms.txt or text page for your account alone.
      </ProOnly>
    );
  }
  return (
    <ListSection<CustomVendors>
      {...heading}
      lead="Only the keys of your account see these vendors."
      noun="vendors"
      path="/api/v1/vendors/custom"
      sendRequest={sendRequest}
      describeCount={({ count, limit }) => `${count} of ${limit} vendors`}
      renderItems={({ vendors }, reload) =>
        vendors.map((vendor) => (
          <VendorItem
            key={vendor.slug}
            vendor={vendor}
            isFetched={!fetchingNotice}
            sendRequest={sendRequest}
            onChanged={reload}
          />
        ))
      }
      renderForm={(reload) => (
        <>
          {fetchingNotice}
          <AddVendor sendRequest={sendRequest} categories={categories} onAdded={reload} />
        </>
      )}
    />
  );
}
