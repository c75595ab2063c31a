"use client";

import { useState } from "react";
import { Notice } from "../../_components/notice";
import type { SendRequest } from "./api-request";
import { ConfirmButton } from "./confirm-button";
import { formatDateTime } from "./format-date-time";
import styles from "./key.module.css";

/** A rotated key that still works. */
export type PreviousKey = { last_four: string; works_until: string };

type Props = { keys: readonly PreviousKey[]; sendRequest: SendRequest; onEnded: () => void };

/** The keys that this one replaced and that still work, with a button that ends them. */
export function PreviousKeys({ keys, sendRequest, onEnded }: Props) {
  const [isEnding, setIsEnding] = useState(false);
  const [failure, setFailure] = useState<string>();
  const endKeys = async () => {
    setIsEnding(true);
    setFailure(undefined);
    const result = await sendRequest<{ ended: number }>("/api/v1/keys/previous", { method: "DELETE" });
    setIsEnding(false);
    if (result.ok) onEnded();
    else setFailure(result.message);
  };
  return (
    <section className={styles.section} aria-labelledby="previous">
      <h2 id="previous">Previous keys</h2>
      <ul>
        {keys.map(({ last_four, works_until }) => (
          <li key={`${last_four} ${works_until}`}>
            <span className="mono">ltf_…{last_four}</span> works until {formatDateTime(works_until)}.
          </li>
        ))}
      </ul>
      <ConfirmButton
        label={isEnding ? "Ending…" : "End previous keys"}
        confirmLabel="End now"
        question="Programs that still use a previous key get an error at once."
        disabled={isEnding}
        onConfirm={endKeys}
      />
      {failure && (
        <Notice tone="error" title="Couldn’t end the previous keys.">
          {failure}
        </Notice>
      )}
    </section>
  );
}
