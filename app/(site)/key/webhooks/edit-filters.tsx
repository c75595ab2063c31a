"use client";

import { type FormEvent, useRef, useState } from "react";
import { Button } from "../../../_components/button";
import type { SendRequest } from "../api-request";
import { FilterFields, fromFilters, toFilters } from "../filter-fields";
import styles from "../key.module.css";
import { useSubmit } from "../use-submit";
import { significances, type Webhook } from "./types";

type Props = { webhook: Webhook; sendRequest: SendRequest; categories: readonly string[]; onChanged: () => void };

/** A form that replaces a webhook's filters. Each time it opens, it starts from those that the webhook has. */
export function EditFilters({ webhook: { id, url, filters = {} }, sendRequest, categories, onChanged }: Props) {
  const box = useRef<HTMLDetailsElement>(null);
  const [values, setValues] = useState(() => fromFilters(filters));
  const [isSaved, setIsSaved] = useState(false);
  const { error, setError, isBusy, submit } = useSubmit(sendRequest);
  const start = () => {
    setIsSaved(false);
    setError(undefined);
    setValues(fromFilters(filters));
  };
  const finish = () => {
    setIsSaved(true);
    box.current?.removeAttribute("open");
    box.current?.querySelector("summary")?.focus();
    onChanged();
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    const body = { filters: toFilters(values) ?? null };
    void submit(`/api/v1/webhooks/${id}`, { method: "PATCH", body }, finish);
  };
  return (
    <>
      <details ref={box} className={styles.filters} onToggle={({ currentTarget }) => currentTarget.open && start()}>
        <summary>
          Edit filters<span className="visually-hidden"> of {url}</span>
        </summary>
        <form onSubmit={save} className={styles.form}>
          <FilterFields
            id={`filter-${id}`}
            values={values}
            categories={categories}
            significances={significances}
            onChange={setValues}
          />
          <p>
            <Button type="submit" disabled={isBusy}>
              {isBusy ? "Saving…" : "Save filters"}
            </Button>
          </p>
        </form>
      </details>
      <p role="status" className={error ? styles.failed : undefined}>
        {error ?? (isSaved && "Saved. The filters apply to changes from now on.")}
      </p>
    </>
  );
}
