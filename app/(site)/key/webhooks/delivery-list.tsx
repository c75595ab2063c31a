"use client";

import { use, useCallback, useEffect, useRef, useState } from "react";
import { formatCount } from "#lib/platform/format-count";
import type { listDeliveries } from "#lib/tracking/webhooks/index";
import { StatusBadge } from "../../../_components/badge";
import { Button } from "../../../_components/button";
import { formatDateTime } from "../../../_components/format";
import { scrollBox } from "../../../_components/scroll-box";
import { ActionStatus, Failure } from "../actions";
import { type AnswerOf, SendRequestContext, useSubmit } from "../api-request";
import styles from "../key.module.css";

type DeliveryPage = AnswerOf<typeof listDeliveries>;
export type Delivery = DeliveryPage["deliveries"][number];

function AttemptItem({ attempt }: { attempt: Delivery["attempts"][number] }) {
  const { created_at: at, http_status: status, error, response_excerpt: excerpt, duration_ms: ms } = attempt;
  return (
    <li>
      {formatDateTime(at)}: {status === null ? "no response" : `status ${status}`} after {ms.toLocaleString("en")} ms
      {error && `, ${error}`}
      {excerpt && <pre {...scrollBox(`Response of ${formatDateTime(at)}`)}>{excerpt}</pre>}
    </li>
  );
}

type ItemProps = { delivery: Delivery; path: string; canRedeliver: boolean; onChanged: (delivery: Delivery) => void };

/** A delivery with its attempts. The receiver's response is shown as plain text. */
function DeliveryItem({ delivery, path, canRedeliver, onChanged }: ItemProps) {
  const { status, test, vendor, created_at: createdAt, attempt_count: count, attempts } = delivery;
  const { next_attempt_at: next } = delivery;
  const [sent, setSent] = useState("");
  const { error, isBusy, submit } = useSubmit();
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
        {formatDateTime(createdAt)}, {formatCount(count, "attempt")}
        {next && `, next attempt ${formatDateTime(next)}`}
      </p>
      {attempts.length > 0 && (
        <details>
          <summary>Attempts</summary>
          <ol>
            {attempts.map((attempt) => (
              <AttemptItem key={attempt.id} attempt={attempt} />
            ))}
          </ol>
        </details>
      )}
      {canRedeliver && (
        <div className="row tight">
          <Button variant="quiet" disabled={isBusy || delivery.in_flight} onClick={redeliver}>
            {isBusy ? "Sending…" : "Send again"}
          </Button>
          <ActionStatus>{error ?? sent}</ActionStatus>
        </div>
      )}
    </li>
  );
}

type State = { deliveries: Delivery[] | null; nextCursor: string | null; failure: string | null };

const pageSize = 10;

/** The sent and pending deliveries of a webhook, newest first, ten at a time. */
export function DeliveryList({ webhookId, canRedeliver }: { webhookId: string; canRedeliver: boolean }) {
  const sendRequest = use(SendRequestContext);
  const [state, setState] = useState<State>({ deliveries: null, nextCursor: null, failure: null });
  const hasLoaded = useRef(false);
  const path = `/api/v1/webhooks/${webhookId}/deliveries`;
  const load = useCallback(
    async (cursor: string | null) => {
      const query = new URLSearchParams({ limit: String(pageSize), ...(cursor && { cursor }) });
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
      <p role="status" className={deliveries || failure ? "visually-hidden" : "caption"}>
        {deliveries ? `${deliveries.length} deliveries` : "Loading deliveries…"}
      </p>
      <Failure title="Couldn’t load the deliveries." message={failure} />
      {deliveries?.length === 0 && <p className="caption">No deliveries yet.</p>}
      <ul className={`${styles.deliveries} plain-list`}>
        {deliveries?.map((delivery) => (
          <DeliveryItem
            key={delivery.id}
            delivery={delivery}
            path={`${path}/${delivery.id}/redeliver`}
            canRedeliver={canRedeliver}
            onChanged={replace}
          />
        ))}
      </ul>
      <p className="row tight">
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
