"use client";

import type { ReactNode } from "react";
import { formatCount } from "#lib/platform/format-count";
import type { addCustomVendor, listCustomVendors } from "#lib/tracking/vendors/index";
import { SignificanceBadge, VendorStatusBadge } from "../../../_components/badge";
import { InputField, SelectField } from "../../../_components/field";
import { formatDateTime } from "../../../_components/format";
import { Link } from "../../../_components/link";
import { ActionStatus, AddForm, ConfirmButton, EditForm, textOf } from "../actions";
import { type AnswerOf, useSubmit } from "../api-request";
import styles from "../key.module.css";
import { ListSection, ProOnly } from "../list-section";

type CustomVendors = AnswerOf<typeof listCustomVendors>;
type CustomVendor = CustomVendors["vendors"][number];
type Change = NonNullable<CustomVendor["latest_change"]>;
type Addition = AnswerOf<typeof addCustomVendor>["addition"];

const hint = "A public page of plain text or markdown, such as an llms.txt, or an OpenAPI document.";
const urlError = "The URL must start with https:// or http://.";

function readVendor(form: FormData) {
  const url = textOf(form, "url");
  if (!/^https?:\/\/\S+$/i.test(url)) return urlError;
  const name = textOf(form, "name");
  return { url, format: textOf(form, "format"), category: textOf(form, "category"), ...(name && { name }) };
}

const formats = [
  ["llms_txt", "Text or markdown"],
  ["openapi", "OpenAPI document"],
] as const;

/** The form for a new vendor. */
function AddVendor({ categories, onAdded }: { categories: readonly string[]; onAdded: () => void }) {
  return (
    <AddForm<Addition>
      path="/api/v1/vendors"
      label="Add vendor"
      busyLabel="Adding…"
      readBody={readVendor}
      describe={({ vendor, fetch: { note } }) => `${vendor.name}: ${note}`}
      onDone={onAdded}
    >
      {(error) => (
        <>
          <InputField
            id="vendor-url"
            name="url"
            label="URL to track"
            hint={hint}
            error={error}
            type="url"
            placeholder="https://docs.example.com/llms.txt"
          />
          <SelectField id="vendor-format" name="format" label="Format" choices={formats} />
          <div className={styles.fields}>
            <InputField id="vendor-name" name="name" label="Name (default: its host)" type="text" maxLength={80} />
            <SelectField
              id="vendor-category"
              name="category"
              label="Category"
              choices={categories}
              defaultValue="developer-tools"
            />
          </div>
        </>
      )}
    </AddForm>
  );
}

/** The latest change of a vendor of the account, with a link to its page. */
function LatestChange({ slug, change }: { slug: string; change: Change }) {
  const { id, created_at: at, lines_added: added, lines_removed: removed, summary, significance } = change;
  return (
    <div className={`${styles.change} stack tight`}>
      <p className="row tight caption">
        <span>
          Latest change: <time dateTime={at}>{formatDateTime(at)}</time>
        </span>
        {significance !== null && <SignificanceBadge significance={significance} />}
      </p>
      <p dir="auto">{summary ?? "Not analysed yet."}</p>
      <p>
        <Link href={`/vendors/${slug}/diffs/${id}`}>
          {formatCount(added, "line")} added, {removed.toLocaleString("en")} removed
        </Link>
      </p>
    </div>
  );
}

function describeFetches(vendor: CustomVendor, isFetched: boolean): string {
  const { last_fetched_at: last, next_fetch_at: next, failure } = vendor;
  const parts = [
    last && `last fetched ${formatDateTime(last)}`,
    failure && `the last attempt failed: ${failure.replaceAll("_", " ")}`,
    isFetched ? `next fetch due ${formatDateTime(next)}` : "fetching is off",
  ];
  return parts.filter(Boolean).join("; ");
}

/** `isFetched`: whether this server fetches vendors. */
type VendorItemProps = { vendor: CustomVendor; isFetched: boolean; onChanged: () => void };

/** A vendor of the account, which can be renamed and removed. */
function VendorItem({ vendor, isFetched, onChanged }: VendorItemProps) {
  const { name, slug, category, status, llms_txt_url: url, last_fetched_at: last, latest_change: change } = vendor;
  const { error, isBusy, submit } = useSubmit();
  return (
    <li className={`${styles.item} panel stack tight`}>
      <h3 className={styles.name}>
        <Link href={`/vendors/${slug}`}>{name}</Link>
      </h3>
      <p className="text caption">
        <a href={url} target="_blank" rel="noopener noreferrer nofollow">
          {url}
        </a>
      </p>
      <p className="caption">
        <VendorStatusBadge status={status} hasVersion={last !== null} /> {category}, slug <code>{slug}</code>;{" "}
        {describeFetches(vendor, isFetched)}
      </p>
      {change && <LatestChange slug={slug} change={change} />}
      <div className="row tight">
        <ConfirmButton
          variant="quiet"
          label="Remove"
          confirmLabel="Remove now"
          question="Its history is deleted too."
          disabled={isBusy}
          onConfirm={() => submit(`/api/v1/vendors/${slug}`, { method: "DELETE" }, onChanged)}
        />
        <ActionStatus isBusy={isBusy} busyText="Removing…" error={error} />
      </div>
      <EditForm
        path={`/api/v1/vendors/${slug}`}
        noun="name"
        of={name}
        readBody={(form) => ({ name: textOf(form, "name") })}
        done="Saved."
        onChanged={onChanged}
      >
        <InputField
          id={`name-${slug}`}
          name="name"
          label="Name"
          type="text"
          maxLength={80}
          required
          defaultValue={name}
        />
      </EditForm>
    </li>
  );
}

type Props = {
  tier: string;
  categories: readonly string[];
  /** Says that vendors are not fetched on this server; false if they are. */
  fetchingNotice: ReactNode;
};

const heading = { id: "vendors", title: "Your vendors" };

/** The vendors of the key's account, from Pro on. Lower tiers see which tier they need. */
export function VendorManager({ tier, categories, fetchingNotice }: Props) {
  if (tier !== "pro") {
    return (
      <ProOnly {...heading} notice="Vendors of your own are part of Pro.">
        Track any public llms.txt, text page or OpenAPI document for your account alone.
      </ProOnly>
    );
  }
  return (
    <ListSection<CustomVendors>
      {...heading}
      lead="Only the keys of your account see these vendors."
      noun="vendors"
      path="/api/v1/vendors/custom"
      describeCount={({ count, limit }) => `${count} of ${limit} vendors`}
      renderItems={({ vendors }, reload) =>
        vendors.map((vendor) => (
          <VendorItem key={vendor.slug} vendor={vendor} isFetched={!fetchingNotice} onChanged={reload} />
        ))
      }
      renderForm={(reload) => (
        <>
          {fetchingNotice}
          <AddVendor categories={categories} onAdded={reload} />
        </>
      )}
    />
  );
}
