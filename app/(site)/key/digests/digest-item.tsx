"use client";

import { StatusBadge } from "../../../_components/badge";
import { Field } from "../../../_components/field";
import type { SendRequest } from "../api-request";
import { ConfirmButton } from "../confirm-button";
import { describeFilters } from "../filter-fields";
import { formatDateTime } from "../format-date-time";
import styles from "../key.module.css";
import { useSubmit } from "../use-submit";
import { type Digest, frequencies } from "./types";

type Props = { digest: Digest; sendRequest: SendRequest; onChanged: () => void };

function describeState({ status, confirm_by: confirmBy, last_sent_at: last, disabled_reason: reason }: Digest): string {
  if (status === "pending" && confirmBy) return `open the link in the mail by ${formatDateTime(confirmBy)}`;
  if (status === "disabled" && reason) return reason;
  return last ? `last mail ${formatDateTime(last)}` : "no mail so far";
}

/** A digest, whose frequency can be changed, and which can be deleted. */
export function DigestItem({ digest, sendRequest, onChanged }: Props) {
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
          <Field id={`frequency-${id}`} label="Frequency">
            <select
              id={`frequency-${id}`}
              disabled={isBusy}
              value={frequency}
              onChange={({ target }) => change(target.value)}
            >
              {frequencies.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </Field>
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
