"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { Button } from "../../../_components/button";
import { Notice } from "../../../_components/notice";
import type { SendRequest } from "../api-request";
import styles from "../key.module.css";
import { DeliveryItem } from "./delivery-item";
import type { Delivery, DeliveryPage } from "./types";

type Props = { webhookId: string; canRedeliver: boolean; sendRequest: SendRequest };
type State = { deliveries: Delivery[] | null; nextCursor: string | null; failure: string | null };

const pageSize = 10;

/** The sent and pending deliveries of a webhook, newest first, ten at a time. */
export function DeliveryList({ webhookId, canRedeliver, sendRequest }: Props) {
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
      {failure && (
        <Notice tone="error" title="Couldn’t load the deliveries.">
          {failure}
        </Notice>
      )}
      {deliveries?.length === 0 && <p className={styles.note}>No deliveries yet.</p>}
      <ul className={styles.deliveries}>
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
          Newest
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
