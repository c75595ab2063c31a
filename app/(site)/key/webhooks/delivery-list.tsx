"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { StatusBadge } from "../../../_components/badge";
import { Button } from "../../../_components/button";
import { scrollBox } from "../../../_components/scroll-box";
import type { SendRequest } from "../api-request";
import { formatDateTime } from "../format-date-time";
import styles from "../key.module.css";
import { Failure } from "../list-section";
import { useSubmit } from "../use-submit";
import type { Delivery, DeliveryPage } from "./types";

type ItemProps = {
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
function DeliveryItem({ delivery, path, canRedeliver, sendRequest, onChanged }: ItemProps) {
  const {
    status,
    test,
    vendor,
    created_at: createdAt,
    attempt_count: count,
    next_attempt_at: next,
    attempts,
  } = delivery;
  const [sent, setSent] = useState("");
  const { error, isBusy, submit } = useSubmit(sendRequest);
  const redeliver = () => {
    setSent("");
    return submit<{ delivery: Delivery }>(path, { method: "POST" }, ({ delivery: changed }) => {
      onChanged(changed);
      setSent(`Sent again: ${changed.status}.`);
    });
  };
  return (
    <li>
      <p>
        <StatusBadge status={status} /> {vendor && <strong>{vendor.name}</strong>}
        {test && "test"}
        {(vendor || test) && ", "}
        {formatDateTime(createdAt)}, {count === 1 ? "1 attempt" : `${count} attempts`}
        {next && `, next attempt ${formatDateTime(next)}`}
      </p>
      {attempts.length > 0 && (
        <details>
          <summary>Attempts</summary>
          <Attempts attempts={attempts} />
        </details>
      )}
      {canRedeliver && (
        <div className={styles.buttons}>
          <Button variant="quiet" disabled={isBusy || delivery.in_flight} onClick={redeliver}>
            {isBusy ? "Sending…" : "Send again"}
          </Button>
          <p role="status" className={styles.note}>
            {error ?? sent}
          </p>
        </div>
      )}
    </li>
  );
}

type ListProps = { webhookId: string; canRedeliver: boolean; sendRequest: SendRequest };
type State = { deliveries: Delivery[] | null; nextCursor: string | null; failure: string | null };

const pageSize = 10;

/** The sent and pending deliveries of a webhook, newest first, ten at a time. */
export function DeliveryList({ webhookId, canRedeliver, sendRequest }: ListProps) {
  const [state, setState] = useState<State>({ deliveries: null, nextCursor: null, failure: null });
  const hasLoaded = useRef(false);
  const path = `/api/v1/webhooks/${webhookId}/deliveries`;
  const load = useCallback(
    async (cursor: string | null) => {
      const query = new URLSearchParams({ limit: String(pageSize), ...(cursor ? { cursor } : {}) });
      const result = await sendRequest<DeliveryPage>(`${path}?${query}`);
      setState((before) => {
        if (!result.ok) return { ...before, failure: result.message };
        const { _meta: meta, deliveries } = result.data;
        const older = cursor ? (before.deliveries ?? []) : [];
        return { deliveries: [...older, ...deliveries], nextCursor: meta.next_cursor, failure: null };
      });
    },
    [sendRequest, path],
  );
  useEffect(() => {
    if (hasLoaded.current) return;
    hasLoaded.current = true;
    void load(null);
  }, [load]);
  const replace = (changed: Delivery) =>
    setState((before) => ({
      ...before,
      deliveries: before.deliveries?.map((one) => (one.id === changed.id ? changed : one)) ?? null,
    }));
  const { deliveries, nextCursor, failure } = state;
  return (
    <div>
      <p role="status" className={deliveries || failure ? "visually-hidden" : styles.note}>
        {deliveries ? `${deliveries.length} deliveries` : "Loading deliveries…"}
      </p>
      <Failure title="Couldn’t load the deliveries." message={failure} />
      {deliveries?.length === 0 && <p className={styles.note}>No deliveries yet.</p>}
      <ul className={`${styles.deliveries} plain-list`}>
        {deliveries?.map((delivery) => (
          <DeliveryItem
            key={delivery.id}
            delivery={delivery}
            path={`${path}/${delivery.id}/redeliver`}
            canRedeliver={canRedeliver}
            sendRequest={sendRequest}
            onChanged={replace}
          />
        ))}
      </ul>
      <p className={styles.buttons}>
        <Button variant="quiet" onClick={() => load(null)}>
          Refresh deliveries
        </Button>
        {nextCursor && (
          <Button variant="quiet" onClick={() => load(nextCursor)}>
            Older
          </Button>
        )}
      </p>
    </div>
  );
}
