"use client";

import { useCallback, useEffect, useState } from "react";
import { Button, ButtonLink } from "../../../_components/button";
import { Notice } from "../../../_components/notice";
import styles from "../key.module.css";
import type { Ask } from "../key-desk";
import { CreateWebhook } from "./create-webhook";
import type { Webhook } from "./types";
import { WebhookItem } from "./webhook-item";

type Listed = { status: "loading" } | { status: "failed"; message: string } | { status: "listed"; webhooks: Webhook[] };

function NoWebhooks() {
  return (
    <section className={styles.section} aria-labelledby="webhooks">
      <h2 id="webhooks">Webhooks</h2>
      <Notice tone="empty" title="Webhooks are part of Pro.">
        With them, changes of high significance are sent to an address of yours as soon as they are analysed.{" "}
        <ButtonLink href="/pricing" variant="quiet">
          See the tiers
        </ButtonLink>
      </Notice>
    </section>
  );
}

function Webhooks({ ask }: { ask: Ask }) {
  const [listed, setListed] = useState<Listed>({ status: "loading" });
  const load = useCallback(async () => {
    const answer = await ask<{ webhooks: Webhook[] }>("/api/v1/webhooks?include=inactive");
    setListed(
      answer.ok ? { status: "listed", webhooks: answer.data.webhooks } : { status: "failed", message: answer.message },
    );
  }, [ask]);
  const [hasBegun, setHasBegun] = useState(false);
  useEffect(() => {
    // Once: a rotated key has the same webhooks, and each look costs a request.
    if (hasBegun) return;
    setHasBegun(true);
    void load();
  }, [hasBegun, load]);
  return (
    <section className={styles.section} aria-labelledby="webhooks">
      <h2 id="webhooks">Webhooks</h2>
      <p>Changes of high significance are sent to these addresses, signed. Each button here costs one request.</p>
      <p role="status" className={listed.status === "loading" ? undefined : "visually-hidden"}>
        {listed.status === "loading" && "Loading the webhooks…"}
        {listed.status === "listed" && `${listed.webhooks.length} webhooks`}
      </p>
      {listed.status === "failed" && (
        <Notice tone="error" title="The webhooks could not be listed.">
          {listed.message}
        </Notice>
      )}
      {listed.status === "listed" && listed.webhooks.length === 0 && (
        <Notice tone="empty">No webhook is registered with this key.</Notice>
      )}
      {listed.status === "listed" && listed.webhooks.length > 0 && (
        <ul className={styles.webhooks}>
          {listed.webhooks.map((webhook) => (
            <WebhookItem key={webhook.id} webhook={webhook} ask={ask} onChanged={load} />
          ))}
        </ul>
      )}
      <CreateWebhook ask={ask} onCreated={load} />
      <p>
        <Button variant="quiet" onClick={load}>
          List again
        </Button>
      </p>
    </section>
  );
}

/** The webhooks of a key, from Pro on; lower tiers see what they would need. */
export function WebhookDesk({ ask, tier }: { ask: Ask; tier: string }) {
  return tier === "pro" ? <Webhooks ask={ask} /> : <NoWebhooks />;
}
