"use client";

import type { SendRequest } from "./api-request";
import { ConfirmButton } from "./confirm-button";
import { formatDateTime } from "./format-date-time";
import { Failure, Section } from "./list-section";
import { useSubmit } from "./use-submit";

/** A rotated key that still works. */
export type PreviousKey = { last_four: string; works_until: string };

type Props = { keys: readonly PreviousKey[]; sendRequest: SendRequest; onEnded: () => void };

/** The keys that this one replaced and that still work, with a button that ends them. */
export function PreviousKeys({ keys, sendRequest, onEnded }: Props) {
  const { error, isBusy, submit } = useSubmit(sendRequest);
  const endKeys = () => submit("/api/v1/keys/previous", { method: "DELETE" }, onEnded);
  return (
    <Section id="previous" title="Previous keys">
      <ul>
        {keys.map(({ last_four, works_until }) => (
          <li key={`${last_four} ${works_until}`}>
            <span className="mono">ltf_…{last_four}</span> works until {formatDateTime(works_until)}.
          </li>
        ))}
      </ul>
      <ConfirmButton
        label={isBusy ? "Ending…" : "End previous keys"}
        confirmLabel="End now"
        question="Programs that still use a previous key get an error at once."
        disabled={isBusy}
        onConfirm={endKeys}
      />
      <Failure title="Couldn’t end the previous keys." message={error} />
    </Section>
  );
}
