"use client";

import { useCallback, useEffect, useState } from "react";
import { Button, ButtonLink } from "../../../_components/button";
import { Notice } from "../../../_components/notice";
import type { SendRequest } from "../api-request";
import styles from "../key.module.css";
import { CreateWebhook } from "./create-webhook";
import type { Webhook } from "./types";
import { WebhookItem } from "./webhook-item";

type ListState =
  | { status: "loading" }
  | { status: "failed"; message: string }
  | { status: "listed"; webhooks: Webhook[] };

function NoWebhooks() {
  return (
    <section className={styles.section} aria-labelledby="webhooks">
      <h2 id="webhooks">Webhooks</h2>
      <Notice tone="empty" title="Webhooks are part of Pro.">
        Get significant changes sent to your URL as soon as they are analysed.{" "}
        <ButtonLink href="/pricing" variant="quiet">
          See pricing
        </ButtonLink>
      </Notice>
    </section>
  );
}

function Webhooks({ sendRequest }: { sendRequest: SendRequest }) {
  const [list, setList] = useState<ListState>({ status: "loading" });
  const load = useCallback(async () => {
    const result = await sendRequest<{ webhooks: Webhook[] }>("/api/v1/webhooks?include=inactive");
    setList(
      result.ok ? { status: "listed", webhooks: result.data.webhooks } : { status: "failed", message: result.message },
    );
  }, [sendRequest]);
  const [hasLoaded, setHasLoaded] = useState(false);
  useEffect(() => {
    // Load only once: a rotated key has the same webhooks, and each request counts.
    if (hasLoaded) return;
    setHasLoaded(true);
    void load();
  }, [hasLoaded, load]);
  return (
    <section className={styles.section} aria-labelledby="webhooks">
      <h2 id="webhooks">Webhooks</h2>
      <p>Significant changes are sent to these URLs, signed. Each action here uses one request.</p>
      <p role="status" className={list.status === "loading" ? undefined : "visually-hidden"}>
        {list.status === "loading" && "Loading webhooks…"}
        {list.status === "listed" && `${list.webhooks.length} webhooks`}
      </p>
      {list.status === "failed" && (
        <Notice tone="error" title="Couldn’t load the webhooks.">
          {list.message}
        </Notice>
      )}
      {list.status === "listed" && list.webhooks.length === 0 && <Notice tone="empty">No webhooks yet.</Notice>}
      {list.status === "listed" && list.webhooks.length > 0 && (
        <ul className={styles.webhooks}>
          {list.webhooks.map((webhook) => (
            <WebhookItem key={webhook.id} webhook={webhook} sendRequest={sendRequest} onChanged={load} />
          ))}
        </ul>
      )}
      <CreateWebhook sendRequest={sendRequest} onCreated={load} />
      <p>
        <Button variant="quiet" onClick={load}>
          Refresh
        </Button>
      </p>
    </section>
  );
}

/** The webhooks of a key, from Pro on. Lower tiers see which tier they need. */
export function WebhookManager({ sendRequest, tier }: { sendRequest: SendRequest; tier: string }) {
  return tier === "pro" ? <Webhooks sendRequest={sendRequest} /> : <NoWebhooks />;
}
