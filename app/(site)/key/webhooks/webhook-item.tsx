"use client";

import { useState } from "react";
import { Badge } from "../../../_components/badge";
import { Button } from "../../../_components/button";
import { ConfirmButton } from "../confirm-button";
import styles from "../key.module.css";
import type { Ask } from "../key-desk";
import { momentText } from "../moment-text";
import { ShownOnce } from "../shown-once";
import { Deliveries } from "./deliveries";
import type { Delivery, Webhook } from "./types";

type Props = { webhook: Webhook; ask: Ask; onChanged: () => void };
type Said = { text: string; isFailure: boolean } | null;

function outcomeOf({ status, attempts: [newest] }: Delivery): Said {
  const detail = newest?.error ?? (newest?.http_status ? `status ${newest.http_status}` : "no answer");
  const isFailure = status !== "delivered";
  return { isFailure, text: isFailure ? `The test did not arrive: ${detail}.` : `The test arrived: ${detail}.` };
}

function standingOf({
  active,
  failing_since: failing,
  deactivated_at: ended,
  deactivated_reason: why,
}: Webhook): string {
  if (!active) return `deactivated${ended ? ` ${momentText(ended)}` : ""}${why ? `: ${why}` : ""}`;
  return failing ? `failing since ${momentText(failing)}` : "";
}

/** A webhook and what can be done with it. */
export function WebhookItem({ webhook, ask, onChanged }: Props) {
  const { id, url, active, created_at: createdAt } = webhook;
  const [said, setSaid] = useState<Said>(null);
  const [secret, setSecret] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const [showsDeliveries, setShowsDeliveries] = useState(false);

  const act = async <Data,>(path: string, method: "POST" | "DELETE", done: (data: Data) => void) => {
    setIsBusy(true);
    setSaid(null);
    const answer = await ask<Data>(path, { method });
    setIsBusy(false);
    if (answer.ok) done(answer.data);
    else setSaid({ text: answer.message, isFailure: true });
  };
  const test = () =>
    act<{ delivery: Delivery }>(`/api/v1/webhooks/${id}/test`, "POST", ({ delivery }) => setSaid(outcomeOf(delivery)));
  const rotate = () =>
    act<{ secret: string }>(`/api/v1/webhooks/${id}/rotate-secret`, "POST", (data) => setSecret(data.secret));
  const deactivate = () => act(`/api/v1/webhooks?id=${id}`, "DELETE", onChanged);
  const standing = standingOf(webhook);
  return (
    <li className={styles.webhook}>
      <h3>{url}</h3>
      <p className={styles.note}>
        <Badge tone={active ? "good" : "warning"}>{active ? "active" : "deactivated"}</Badge> registered{" "}
        {momentText(createdAt)}
        {standing && `; ${standing}`}
      </p>
      <div className={styles.buttons}>
        {active && (
          <>
            <Button variant="quiet" disabled={isBusy} onClick={test}>
              Send a test
            </Button>
            <ConfirmButton
              variant="quiet"
              label="Rotate secret"
              doLabel="Rotate now"
              question="The secret changes; for 24 hours deliveries carry both signatures."
              disabled={isBusy}
              onConfirm={rotate}
            />
            <ConfirmButton
              variant="quiet"
              label="Deactivate"
              doLabel="Deactivate now"
              question="It cannot be activated again."
              disabled={isBusy}
              onConfirm={deactivate}
            />
          </>
        )}
        <Button variant="quiet" aria-expanded={showsDeliveries} onClick={() => setShowsDeliveries(!showsDeliveries)}>
          Deliveries
        </Button>
      </div>
      <p role="status" className={said?.isFailure ? styles.failed : undefined}>
        {isBusy ? "Waiting for the answer…" : said?.text}
      </p>
      {secret && (
        <ShownOnce
          title="The new signing secret, shown this once"
          value={secret}
          label="signing secret"
          note="For 24 hours webhook-signature holds two signatures, of the new secret and of the one before."
          onDone={() => setSecret(undefined)}
        />
      )}
      {showsDeliveries && <Deliveries webhookId={id} canRedeliver={active} ask={ask} />}
    </li>
  );
}
