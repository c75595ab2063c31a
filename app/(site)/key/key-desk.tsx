"use client";

import { useCallback, useState } from "react";
import { Button } from "../../_components/button";
import { Notice } from "../../_components/notice";
import { askApi, type Call, type Usage } from "./ask-api";
import { keepKey, useKeptKey } from "./kept-key";
import styles from "./key.module.css";
import { KeyForm } from "./key-form";
import { Portal } from "./portal";
import { Rotation } from "./rotation";
import { UsageFacts } from "./usage-facts";
import { WebhookDesk } from "./webhooks/webhook-desk";

export type TierName = { name: string; requestsPerDay: number };

/** The part of the feed's answer that tells the tier. */
type FeedMeta = { _meta: { tier: "free" | "starter" | "pro" } };
type Look = { status: "idle" | "looking" } | { status: "failed"; message: string } | { status: "seen"; tier: string };

/** An address that counts one request and answers with the tier. */
const lookPath = "/api/v1/feed?limit=1";

/** Everything that a key's holder does here. The key is typed in, and stays in this tab. */
export function KeyDesk({ tiers }: { tiers: readonly TierName[] }) {
  const key = useKeptKey();
  const [look, setLook] = useState<Look>({ status: "idle" });
  const [usage, setUsage] = useState<Usage | undefined>();

  /** Asks with the kept key, and keeps count of what is left. */
  const ask = useCallback(
    async <Data,>(path: string, call?: Call, withKey = key ?? "") => {
      const answer = await askApi<Data>(withKey, path, call);
      if (answer.usage !== undefined) setUsage(answer.usage);
      return answer;
    },
    [key],
  );

  const lookUp = async (given: string) => {
    setLook({ status: "looking" });
    const answer = await ask<FeedMeta>(lookPath, {}, given);
    if (answer.ok) keepKey(given);
    setLook(
      answer.ok ? { status: "seen", tier: answer.data._meta.tier } : { status: "failed", message: answer.message },
    );
  };
  const forget = () => {
    keepKey(null);
    setLook({ status: "idle" });
    setUsage(undefined);
  };
  const isSeen = look.status === "seen" && key !== null;
  return (
    <div className={styles.desk}>
      {!isSeen && <KeyForm kept={key} isBusy={look.status === "looking"} onLook={lookUp} onForget={forget} />}
      <p role="status" className="visually-hidden">
        {look.status === "looking" && "Looking up the key"}
        {isSeen && `The key is valid. Tier: ${look.tier}.`}
      </p>
      {look.status === "failed" && (
        <Notice tone="error" title="The key could not be looked up.">
          {look.message}
        </Notice>
      )}
      {isSeen && (
        <>
          <section className={styles.section} aria-labelledby="usage">
            <h2 id="usage">Today</h2>
            <UsageFacts keyTail={key.slice(-4)} tier={look.tier} usage={usage ?? null} tiers={tiers} />
            <p className={styles.buttons}>
              <Button onClick={() => lookUp(key)}>Look again (one request)</Button>
              <Button onClick={forget}>Forget key</Button>
            </p>
          </section>
          <Rotation ask={ask} onRotated={keepKey} />
          <WebhookDesk ask={ask} tier={look.tier} />
          {look.tier !== "free" && <Portal ask={ask} />}
        </>
      )}
    </div>
  );
}

/** Asks with the kept key. */
export type Ask = <Data>(path: string, call?: Call) => ReturnType<typeof askApi<Data>>;
