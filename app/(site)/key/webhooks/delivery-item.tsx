"use client";

import { useState } from "react";
import { StatusBadge } from "../../../_components/badge";
import { Button } from "../../../_components/button";
import { scrollBox } from "../../../_components/scroll-box";
import type { SendRequest } from "../api-request";
import { formatDateTime } from "../format-date-time";
import styles from "../key.module.css";
import type { Delivery } from "./types";

type Props = {
  delivery: Delivery;
  path: string;
  canRedeliver: boolean;
  sendRequest: SendRequest;
  onChanged: (delivery: Delivery) => void;
};

function Attempts({ attempts }: Pick<Delivery, "attempts">) {
  return (
    <ol className={styles.attempts}>
      {attempts.map(
        ({ id, created_at: at, http_status: status, error, response_excerpt: excerpt, duration_ms: ms }) => (
          <li key={id}>
            {formatDateTime(at)}: {status === null ? "no response" : `status ${status}`} after {ms.toLocaleString("en")}{" "}
            ms
            {error && `, ${error}`}
            {excerpt && <pre {...scrollBox(`Response of ${formatDateTime(at)}`)}>{excerpt}</pre>}
          </li>
        ),
      )}
    </ol>
  );
}

/** A delivery with its attempts. The receiver's response is shown as plain text. */
export function DeliveryItem({ delivery, path, canRedeliver, sendRequest, onChanged }: Props) {
  const { status, test, created_at: createdAt, attempt_count: count, next_attempt_at: next, attempts } = delivery;
  const [message, setMessage] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const redeliver = async () => {
    setIsBusy(true);
    setMessage("");
    const result = await sendRequest<{ delivery: Delivery }>(path, { method: "POST" });
    setIsBusy(false);
    if (result.ok) onChanged(result.data.delivery);
    setMessage(result.ok ? `Sent again: ${result.data.delivery.status}.` : result.message);
  };
  return (
    <li>
      <p>
        <StatusBadge status={status} /> {formatDateTime(createdAt)}
        {test && ", test"}, {count === 1 ? "1 attempt" : `${count} attempts`}
        {next && `, next attempt ${formatDateTime(next)}`}
      </p>
      {attempts.length > 0 && (
        <details>
          <summary>Attempts</summary>
          <Attempts attempts={attempts} />
        </details>
      )}
      {canRedeliver && (
        <p className={styles.buttons}>
          <Button variant="quiet" disabled={isBusy || delivery.in_flight} onClick={redeliver}>
            {isBusy ? "Sending…" : "Send again"}
          </Button>
        </p>
      )}
      <p role="status" className={styles.note}>
        {message}
      </p>
    </li>
  );
}
