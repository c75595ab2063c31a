"use client";

import { type FormEvent, useState } from "react";
import { describedBy, Field } from "../../../_components/field";
import type { SendRequest } from "../api-request";
import { noFilters, OptionalFilters, toFilters } from "../filter-fields";
import { FormFooter } from "../form-footer";
import styles from "../key.module.css";
import { useSubmit } from "../use-submit";
import { type Digest, frequencies } from "./types";

type Props = { sendRequest: SendRequest; categories: readonly string[]; onAdded: () => void };

const hint = "It gets a mail with a link that confirms it. The link is valid for 24 hours.";
const emailError = "Enter one e-mail address, such as team@example.com.";
const empty = { email: "", frequency: "daily", filters: noFilters };
const significances = [
  { value: "", label: "every change" },
  ...[2, 3, 4].map((level) => ({ value: String(level), label: `from ${level} of 5` })),
  { value: "5", label: "only 5 of 5" },
];

/** The form for a new digest. */
export function AddDigest({ sendRequest, categories, onAdded }: Props) {
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
        <Field id="digest-email" label="E-mail address" hint={hint} error={error}>
          <input
            id="digest-email"
            type="email"
            autoComplete="email"
            maxLength={254}
            placeholder="team@example.com"
            aria-invalid={error !== undefined}
            aria-describedby={describedBy("digest-email", { hint, error })}
            value={values.email}
            onChange={({ target }) => change({ email: target.value })}
          />
        </Field>
        <Field id="digest-frequency" label="Frequency">
          <select
            id="digest-frequency"
            value={values.frequency}
            onChange={({ target }) => change({ frequency: target.value })}
          >
            {frequencies.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </Field>
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
