"use client";

import { StatusBadge } from "../../../_components/badge";
import type { SendRequest } from "../api-request";
import { ConfirmButton } from "../confirm-button";
import { formatDateTime } from "../format-date-time";
import styles from "../key.module.css";
import { useSubmit } from "../use-submit";
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
  const fetched = last ? `fetched ${formatDateTime(last)}` : "not fetched yet";
  const failed = failure ? `, last attempt failed: ${failure}` : "";
  return `${fetched}${failed}, ${isFetched ? `next fetch due ${formatDateTime(next)}` : "fetching is off"}`;
}

/** A vendor of the account, which can be removed. */
export function VendorItem({ vendor, isFetched, sendRequest, onChanged }: Props) {
  const { name, slug, category, status, llms_txt_url: url } = vendor;
  const { error, isBusy, submit } = useSubmit(sendRequest);
  const remove = () => submit(`/api/v1/vendors/${slug}`, { method: "DELETE" }, onChanged);
  return (
    <li className={styles.item}>
      <h3>{url}</h3>
      <p className={styles.note}>
        <StatusBadge status={status} /> {name}, {category}, slug <code>{slug}</code>;{" "}
        {describeFetches(vendor, isFetched)}
      </p>
      <div className={styles.buttons}>
        <ConfirmButton
          variant="quiet"
          label="Remove"
          confirmLabel="Remove now"
          question="Its history is deleted too."
          disabled={isBusy}
          onConfirm={remove}
        />
      </div>
      <p role="status" className={error ? styles.failed : undefined}>
        {isBusy ? "Removing…" : error}
      </p>
    </li>
  );
}
