"use client";

import { useState } from "react";
import { Notice } from "../../_components/notice";
import { ConfirmButton } from "./confirm-button";
import styles from "./key.module.css";
import type { Ask } from "./key-desk";
import { ShownOnce } from "./shown-once";

type Rotated = { new_key: string; note: string };
type Props = { ask: Ask; onRotated: (key: string) => void };
type State =
  | { status: "idle" | "rotating" }
  | { status: "failed"; message: string }
  | { status: "done"; rotated: Rotated };

const questions = {
  grace: "A new key is issued. The old one works for 24 hours more.",
  once: "A new key is issued. The old one stops working at once.",
};

/** A new key in place of this one, which is shown once. */
export function Rotation({ ask, onRotated }: Props) {
  const [keepsOld, setKeepsOld] = useState(true);
  const [state, setState] = useState<State>({ status: "idle" });
  const rotate = async () => {
    setState({ status: "rotating" });
    const answer = await ask<Rotated>(`/api/v1/keys/rotate${keepsOld ? "?grace=true" : ""}`, { method: "POST" });
    if (answer.ok) {
      onRotated(answer.data.new_key);
      return setState({ status: "done", rotated: answer.data });
    }
    const isUnsure = answer.code === null;
    const unsure = "Whether the key was rotated is not known: look it up before you try again.";
    setState({ status: "failed", message: isUnsure ? `${answer.message} ${unsure}` : answer.message });
  };
  return (
    <section className={styles.section} aria-labelledby="rotate">
      <h2 id="rotate">Rotate the key</h2>
      {state.status === "done" ? (
        <ShownOnce
          title="Your new key, shown this once"
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
              <input type="radio" name="grace" checked={keepsOld} onChange={() => setKeepsOld(true)} /> works for 24
              hours more
            </label>
            <label>
              <input type="radio" name="grace" checked={!keepsOld} onChange={() => setKeepsOld(false)} /> stops working
              at once
            </label>
          </fieldset>
          <ConfirmButton
            label={state.status === "rotating" ? "Rotating…" : "Rotate key"}
            doLabel="Rotate now"
            question={keepsOld ? questions.grace : questions.once}
            disabled={state.status === "rotating"}
            onConfirm={rotate}
          />
        </>
      )}
      {state.status === "failed" && (
        <Notice tone="error" title="The key was not rotated.">
          {state.message}
        </Notice>
      )}
    </section>
  );
}
