"use client";

import { type FormEvent, useState } from "react";
import { describedBy, Field } from "../../../_components/field";
import type { SendRequest } from "../api-request";
import { FormFooter } from "../form-footer";
import styles from "../key.module.css";
import { useSubmit } from "../use-submit";
import type { VendorAddition } from "./types";

type Props = { sendRequest: SendRequest; categories: readonly string[]; onAdded: () => void };

const hint = "A public page of plain text or markdown, such as an llms.txt.";
const urlError = "The URL must start with https:// or http://.";
const empty = { url: "", name: "", category: "developer-tools" };

/** The form for a new vendor. */
export function AddVendor({ sendRequest, categories, onAdded }: Props) {
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
      <Field id="vendor-url" label="URL to track" hint={hint} error={error}>
        <input
          id="vendor-url"
          type="url"
          autoComplete="off"
          placeholder="https://docs.example.com/llms.txt"
          aria-invalid={error !== undefined}
          aria-describedby={describedBy("vendor-url", { hint, error })}
          value={values.url}
          onChange={({ target }) => change({ url: target.value })}
        />
      </Field>
      <div className={styles.fields}>
        <Field id="vendor-name" label="Name (default: its host)">
          <input
            id="vendor-name"
            type="text"
            autoComplete="off"
            maxLength={80}
            value={values.name}
            onChange={({ target }) => change({ name: target.value })}
          />
        </Field>
        <Field id="vendor-category" label="Category">
          <select
            id="vendor-category"
            value={values.category}
            onChange={({ target }) => change({ category: target.value })}
          >
            {categories.map((category) => (
              <option key={category}>{category}</option>
            ))}
          </select>
        </Field>
      </div>
      <FormFooter isBusy={isBusy} label="Add vendor" busyLabel="Adding…" result={result} error={error} />
    </form>
  );
}
