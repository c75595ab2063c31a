"use client";

import { useState } from "react";
import { StatusBadge } from "../../../_components/badge";
import { Button } from "../../../_components/button";
import { scrollBox } from "../../../_components/scroll-box";
import styles from "../key.module.css";
import type { Ask } from "../key-desk";
import { momentText } from "../moment-text";
import type { Delivery } from "./types";

type Props = {
  delivery: Delivery;
  path: string;
  canRedeliver: boolean;
  ask: Ask;
  onChanged: (delivery: Delivery) => void;
};

function Attempts({ attempts }: Pick<Delivery, "attempts">) {
  return (
    <ol className={styles.attempts}>
      {attempts.map(
        ({ id, created_at: at, http_status: status, error, response_excerpt: excerpt, duration_ms: ms }) => (
          <li key={id}>
            {momentText(at)}: {status === null ? "no answer" : `status ${status}`} after {ms.toLocaleString("en")} ms
            {error && `, ${error}`}
            {excerpt && <pre {...scrollBox(`Answer of ${momentText(at)}`)}>{excerpt}</pre>}
          </li>
        ),
      )}
    </ol>
  );
}

/** A delivery with its attempts. What the receiver answered is text, whatever it holds. */
export function DeliveryItem({ delivery, path, canRedeliver, ask, onChanged }: Props) {
  const { status, test, created_at: createdAt, attempt_count: count, next_attempt_at: next, attempts } = delivery;
  const [said, setSaid] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const redeliver = async () => {
    setIsBusy(true);
    setSaid("");
    const answer = await ask<{ delivery: Delivery }>(path, { method: "POST" });
    setIsBusy(false);
    if (answer.ok) onChanged(answer.data.delivery);
    setSaid(answer.ok ? `Sent again: ${answer.data.delivery.status}.` : answer.message);
  };
  return (
    <li>
      <p>
        <StatusBadge status={status} /> {momentText(createdAt)}
        {test && ", a test"}, {count === 1 ? "1 attempt" : `${count} attempts`}
        {next && `, next at ${momentText(next)}`}
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
        {said}
      </p>
    </li>
  );
}
