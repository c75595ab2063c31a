"use client";

import { useState } from "react";
import type { SendRequest } from "./api-request";
import { ConfirmButton } from "./confirm-button";
import styles from "./key.module.css";
import { Failure, Section } from "./list-section";
import { OneTimeSecret } from "./one-time-secret";
import { useSubmit } from "./use-submit";

type Rotated = { new_key: string; note: string };
type Props = { sendRequest: SendRequest; onRotated: (key: string) => void };
const questions = {
  grace: "You get a new key. The old one works for another 24 hours.",
  once: "You get a new key. The old one stops working at once.",
};

/** Replaces the key with a new one, which is shown once. */
export function KeyRotation({ sendRequest, onRotated }: Props) {
  const [keepsOldKey, setKeepsOldKey] = useState(true);
  const [rotated, setRotated] = useState<Rotated>();
  const { error, isBusy, submit } = useSubmit(sendRequest);
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
          <fieldset className={styles.choices}>
            <legend>The old key</legend>
            <label>
              <input type="radio" name="grace" checked={keepsOldKey} onChange={() => setKeepsOldKey(true)} /> works for
              another 24 hours
            </label>
            <label>
              <input type="radio" name="grace" checked={!keepsOldKey} onChange={() => setKeepsOldKey(false)} /> stops
              working at once
            </label>
          </fieldset>
          <div className={styles.buttons}>
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
