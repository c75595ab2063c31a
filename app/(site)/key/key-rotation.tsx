"use client";

import { useState } from "react";
import { Notice } from "../../_components/notice";
import type { SendRequest } from "./api-request";
import { ConfirmButton } from "./confirm-button";
import styles from "./key.module.css";
import { OneTimeSecret } from "./one-time-secret";

type Rotated = { new_key: string; note: string };
type Props = { sendRequest: SendRequest; onRotated: (key: string) => void };
type State =
  | { status: "idle" | "rotating" }
  | { status: "failed"; message: string }
  | { status: "done"; rotated: Rotated };

const questions = {
  grace: "You get a new key. The old one works for another 24 hours.",
  once: "You get a new key. The old one stops working at once.",
};

/** Replaces the key with a new one, which is shown once. */
export function KeyRotation({ sendRequest, onRotated }: Props) {
  const [keepsOldKey, setKeepsOldKey] = useState(true);
  const [state, setState] = useState<State>({ status: "idle" });
  const rotate = async () => {
    setState({ status: "rotating" });
    const result = await sendRequest<Rotated>(`/api/v1/keys/rotate${keepsOldKey ? "?grace=true" : ""}`, {
      method: "POST",
    });
    if (result.ok) {
      onRotated(result.data.new_key);
      return setState({ status: "done", rotated: result.data });
    }
    const isUncertain = result.code === null;
    const uncertain = "The key may have been rotated: check it before you try again.";
    setState({ status: "failed", message: isUncertain ? `${result.message} ${uncertain}` : result.message });
  };
  return (
    <section className={styles.section} aria-labelledby="rotate">
      <h2 id="rotate">Rotate the key</h2>
      {state.status === "done" ? (
        <OneTimeSecret
          title="Your new key (shown only once)"
          value={state.rotated.new_key}
          label="new key"
          note={`${state.rotated.note} This tab uses it from now on.`}
          onDone={() => setState({ status: "idle" })}
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
              label={state.status === "rotating" ? "Rotating…" : "Rotate key"}
              confirmLabel="Rotate now"
              question={keepsOldKey ? questions.grace : questions.once}
              disabled={state.status === "rotating"}
              onConfirm={rotate}
            />
          </div>
        </>
      )}
      {state.status === "failed" && (
        <Notice tone="error" title="Couldn’t rotate the key.">
          {state.message}
        </Notice>
      )}
    </section>
  );
}
