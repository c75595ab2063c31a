"use client";

import { type FormEvent, useState } from "react";
import { StatusBadge } from "../../../_components/badge";
import { InputField, SelectField } from "../../../_components/field";
import type { SendRequest } from "../api-request";
import { ConfirmButton } from "../confirm-button";
import { type ChangeFilters, describeFilters, noFilters, OptionalFilters, toFilters } from "../filter-fields";
import { FormFooter } from "../form-footer";
import { formatDateTime } from "../format-date-time";
import styles from "../key.module.css";
import { ListSection } from "../list-section";
import { useSubmit } from "../use-submit";

/** A digest in the API's format. */
type Digest = {
  id: string;
  email: string;
  frequency: string;
  status: string;
  filters?: ChangeFilters;
  confirm_by: string | null;
  last_sent_at: string | null;
  disabled_reason: string | null;
};

type Digests = { _meta: { count: number; limit: number }; digests: Digest[] };

/** The frequencies of the API, and how the page names them. */
const frequencies = [
  ["each", "soon after each change"],
  ["daily", "daily at 07:00 UTC"],
  ["weekly", "on Mondays at 07:00 UTC"],
] as const;

type AddDigestProps = { sendRequest: SendRequest; categories: readonly string[]; onAdded: () => void };

const hint = "It gets a mail with a link that confirms it. The link is valid for 24 hours.";
const emailError = "Enter one e-mail address, such as team@example.com.";
const empty = { email: "", frequency: "daily", filters: noFilters };
const significances = [
  ["", "every change"],
  ...[2, 3, 4].map((level) => [String(level), `from ${level} of 5`] as const),
  ["5", "only 5 of 5"],
] as const;

/** The form for a new digest. */
function AddDigest({ sendRequest, categories, onAdded }: AddDigestProps) {
  const [values, setValues] = useState(empty);
  const [result, setResult] = useState<string>();
  const { error, setError, isBusy, submit } = useSubmit(sendRequest);
  const change = (changes: Partial<typeof empty>) => setValues((before) => ({ ...before, ...changes }));
  const add = (event: FormEvent) => {
    event.preventDefault();
    const email = values.email.trim();
    setResult(undefined);
    if (!/^\S+@\S+\.\S+$/.test(email)) return setError(emailError);
    const body = { email, frequency: values.frequency, filters: toFilters(values.filters) };
    return submit<{ digest: Digest }>("/api/v1/digests", { method: "POST", body }, () => {
      setValues(empty);
      setResult(`A mail was sent to ${email}. Open its link to confirm the address.`);
      onAdded();
    });
  };
  return (
    <form onSubmit={add} className={styles.form} noValidate>
      <div className={styles.fields}>
        <InputField
          id="digest-email"
          label="E-mail address"
          hint={hint}
          error={error}
          type="email"
          autoComplete="email"
          maxLength={254}
          placeholder="team@example.com"
          value={values.email}
          onChange={({ target }) => change({ email: target.value })}
        />
        <SelectField
          id="digest-frequency"
          label="Frequency"
          choices={frequencies}
          value={values.frequency}
          onChange={({ target }) => change({ frequency: target.value })}
        />
      </div>
      <OptionalFilters
        id="digest-filter"
        values={values.filters}
        categories={categories}
        significances={significances}
        onChange={(filters) => change({ filters })}
      />
      <FormFooter isBusy={isBusy} label="Add digest" busyLabel="Adding…" result={result} error={error} />
    </form>
  );
}

type DigestItemProps = { digest: Digest; sendRequest: SendRequest; onChanged: () => void };

function describeState({ status, confirm_by: confirmBy, last_sent_at: last, disabled_reason: reason }: Digest): string {
  if (status === "pending" && confirmBy) return `open the link in the mail by ${formatDateTime(confirmBy)}`;
  if (status === "disabled" && reason) return reason;
  return last ? `last mail ${formatDateTime(last)}` : "no mail so far";
}

/** A digest, whose frequency can be changed, and which can be deleted. */
function DigestItem({ digest, sendRequest, onChanged }: DigestItemProps) {
  const { id, email, frequency, status, filters } = digest;
  const { error, isBusy, submit } = useSubmit(sendRequest);
  const path = `/api/v1/digests/${id}`;
  const change = (value: string) => submit(path, { method: "PATCH", body: { frequency: value } }, onChanged);
  return (
    <li className={styles.item}>
      <h3>{email}</h3>
      <p className={styles.note}>
        <StatusBadge status={status} /> {describeState(digest)}
        {filters && `; only ${describeFilters(filters)}`}
      </p>
      {status !== "disabled" && (
        <div className={styles.fields}>
          <SelectField
            id={`frequency-${id}`}
            label="Frequency"
            choices={frequencies}
            disabled={isBusy}
            value={frequency}
            onChange={({ target }) => change(target.value)}
          />
        </div>
      )}
      <div className={styles.buttons}>
        <ConfirmButton
          variant="quiet"
          label="Delete"
          confirmLabel="Delete now"
          question="Its address is deleted too."
          disabled={isBusy}
          onConfirm={() => submit(path, { method: "DELETE" }, onChanged)}
        />
        <p role="status" className={error ? styles.failed : styles.note}>
          {isBusy ? "Waiting for the response…" : error}
        </p>
      </div>
    </li>
  );
}

type Props = { sendRequest: SendRequest; categories: readonly string[] };

/** The e-mail digests of the key's account. */
export function DigestManager({ sendRequest, categories }: Props) {
  return (
    <ListSection<Digests>
      id="digests"
      title="E-mail digests"
      lead="Changes of the vendors that your tier covers are mailed to these addresses."
      noun="digests"
      path="/api/v1/digests"
      sendRequest={sendRequest}
      describeCount={({ _meta: { count, limit } }) => `${count} of ${limit} digests`}
      renderItems={({ digests }, reload) =>
        digests.map((digest) => (
          <DigestItem key={digest.id} digest={digest} sendRequest={sendRequest} onChanged={reload} />
        ))
      }
      renderForm={(reload) => <AddDigest sendRequest={sendRequest} categories={categories} onAdded={reload} />}
    />
  );
}
