"use client";

import { useState } from "react";
import type { getKey, rotateKey } from "#lib/accounts/keys/index";
import { formatDateTime } from "../../_components/format";
import { Notice, Rows, Section } from "../../_components/page-parts";
import { ConfirmButton, Failure, OneTimeSecret } from "./actions";
import { type AnswerOf, type Usage, useSubmit } from "./api-request";
import styles from "./key.module.css";

type UsageProps = { keyTail: string; planName: string; payment: string | undefined; usage: Usage };

function UsedRequests({ usage: { limit, remaining } }: { usage: NonNullable<Usage> }) {
  const used = limit - remaining;
  return (
    <>
      {used.toLocaleString("en")} of {limit.toLocaleString("en")} used, {remaining.toLocaleString("en")} left
      <progress aria-hidden="true" className={styles.used} value={used} max={Math.max(1, limit)} />
    </>
  );
}

/** The key's plan and today's usage. */
export function UsageSummary({ keyTail, planName, payment, usage }: UsageProps) {
  const rows = [
    { name: "Key", value: <span className="mono">ltf_…{keyTail}</span> },
    { name: "Tier", value: planName },
    ...(payment ? [{ name: "Payment", value: payment }] : []),
    { name: "Requests", value: usage ? <UsedRequests usage={usage} /> : "unlimited" },
    ...(usage ? [{ name: "Resets", value: formatDateTime(usage.resetsAt) }] : []),
  ];
  return <Rows rows={rows} />;
}

type UsedUpProps = { resetsAt: Date; hasMail: boolean };

/** Says what still works at the daily limit, and what ends a leaked key. */
export function UsedUp({ resetsAt, hasMail }: UsedUpProps) {
  return (
    <Notice title="Today’s requests are used up.">
      They reset at {formatDateTime(resetsAt)}. Until then only the keys of the account and its payment can be managed,
      but not rotated. If you did not send these requests, somebody else has the key:{" "}
      {hasMail && "“Forget key” and ask for the mail with a link, whose new key replaces the others, or "}
      create a key under “All keys”, check that one here, and end this one with it.
    </Notice>
  );
}

type Rotated = AnswerOf<typeof rotateKey>;
const questions = {
  grace: "You get a new key. The old one works for another 24 hours.",
  once: "You get a new key. The old one stops working at once.",
};

/** Replaces the key with a new one, which is shown once. */
export function KeyRotation({ onRotated }: { onRotated: (key: string) => void }) {
  const [keepsOldKey, setKeepsOldKey] = useState(true);
  const [rotated, setRotated] = useState<Rotated>();
  const { error, isBusy, submit } = useSubmit();
  const rotate = () =>
    submit<Rotated>(
      `/api/v1/keys/rotate${keepsOldKey ? "?grace=true" : ""}`,
      { method: "POST" },
      (done) => {
        onRotated(done.new_key);
        setRotated(done);
      },
      "The key may have been rotated: check it before you try again.",
    );
  return (
    <Section id="rotate" title="Rotate the key">
      {rotated ? (
        <OneTimeSecret
          title="Your new key (shown only once)"
          value={rotated.new_key}
          label="new key"
          note={`${rotated.note} This tab uses it from now on.`}
          onDone={() => setRotated(undefined)}
        />
      ) : (
        <>
          <fieldset className="stack tight">
            <legend className="caption">The old key</legend>
            <label>
              <input type="radio" name="grace" checked={keepsOldKey} onChange={() => setKeepsOldKey(true)} /> works for
              another 24 hours
            </label>
            <label>
              <input type="radio" name="grace" checked={!keepsOldKey} onChange={() => setKeepsOldKey(false)} /> stops
              working at once
            </label>
          </fieldset>
          <div>
            <ConfirmButton
              label={isBusy ? "Rotating…" : "Rotate key"}
              confirmLabel="Rotate now"
              question={keepsOldKey ? questions.grace : questions.once}
              disabled={isBusy}
              onConfirm={rotate}
            />
          </div>
        </>
      )}
      <Failure title="Couldn’t rotate the key." message={error} />
    </Section>
  );
}

/** The keys that this one replaced and that still work, with a button that ends them. */
export function PreviousKeys({
  keys,
  onEnded,
}: {
  keys: AnswerOf<typeof getKey>["previous_keys"];
  onEnded: () => void;
}) {
  const { error, isBusy, submit } = useSubmit();
  return (
    <Section id="previous" title="Previous keys">
      <ul>
        {keys.map(({ last_four, works_until }) => (
          <li key={`${last_four} ${works_until}`}>
            <span className="mono">ltf_…{last_four}</span> works until {formatDateTime(works_until)}.
          </li>
        ))}
      </ul>
      <div>
        <ConfirmButton
          label={isBusy ? "Ending…" : "End previous keys"}
          confirmLabel="End now"
          question="Programs that still use a previous key get an error at once."
          disabled={isBusy}
          onConfirm={() => submit("/api/v1/keys/previous", { method: "DELETE" }, onEnded)}
        />
      </div>
      <Failure title="Couldn’t end the previous keys." message={error} />
    </Section>
  );
}
