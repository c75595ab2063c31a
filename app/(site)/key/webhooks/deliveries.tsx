"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { Button } from "../../../_components/button";
import { Notice } from "../../../_components/notice";
import styles from "../key.module.css";
import type { Ask } from "../key-desk";
import { DeliveryItem } from "./delivery-item";
import type { Delivery, DeliveryPage } from "./types";

type Props = { webhookId: string; canRedeliver: boolean; ask: Ask };
type State = { deliveries: Delivery[] | null; nextCursor: string | null; failure: string | null };

const pageSize = 10;

/** What was sent to a webhook and what waits, the newest first, ten at a time. */
export function Deliveries({ webhookId, canRedeliver, ask }: Props) {
  const [state, setState] = useState<State>({ deliveries: null, nextCursor: null, failure: null });
  const asked = useRef(false);
  const path = `/api/v1/webhooks/${webhookId}/deliveries`;
  const load = useCallback(
    async (cursor: string | null) => {
      const query = new URLSearchParams({ limit: String(pageSize), ...(cursor ? { cursor } : {}) });
      const answer = await ask<DeliveryPage>(`${path}?${query}`);
      setState((before) => {
        if (!answer.ok) return { ...before, failure: answer.message };
        const { _meta: meta, deliveries } = answer.data;
        const older = cursor ? (before.deliveries ?? []) : [];
        return { deliveries: [...older, ...deliveries], nextCursor: meta.next_cursor, failure: null };
      });
    },
    [ask, path],
  );
  useEffect(() => {
    if (asked.current) return;
    asked.current = true;
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
        {deliveries ? `${deliveries.length} deliveries` : "Loading the deliveries…"}
      </p>
      {failure && (
        <Notice tone="error" title="The deliveries could not be listed.">
          {failure}
        </Notice>
      )}
      {deliveries?.length === 0 && <p className={styles.note}>Nothing was sent to this webhook yet.</p>}
      <ul className={styles.deliveries}>
        {deliveries?.map((delivery) => (
          <DeliveryItem
            key={delivery.id}
            delivery={delivery}
            path={`${path}/${delivery.id}/redeliver`}
            canRedeliver={canRedeliver}
            ask={ask}
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
