"use client";

import { VendorStatusBadge } from "../../../_components/badge";
import type { SendRequest } from "../api-request";
import { ConfirmButton } from "../confirm-button";
import { formatDateTime } from "../format-date-time";
import styles from "../key.module.css";
import { useSubmit } from "../use-submit";
import { LatestChange } from "./latest-change";
import type { CustomVendor } from "./types";

type Props = {
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
export function VendorItem({ vendor, isFetched, sendRequest, onChanged }: Props) {
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
