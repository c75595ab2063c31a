import { useEffect, useRef } from "react";
import { scrollBox } from "../../../_components/scroll-box";
import type { Received, TryState } from "./send-request";
import styles from "./try-it.module.css";

function spoken(state: TryState): string {
  if (state.status === "idle") return "";
  if (state.status === "running") return "Waiting for the answer";
  if (state.status === "failed") return state.message;
  const { received, wasStopped } = state;
  return wasStopped ? "Stopped" : `Answered with ${received.statusCode}`;
}

function noteOf(state: TryState): string {
  if (state.status === "running") return "still arriving";
  if (state.status !== "done") return "";
  if (state.wasStopped) return "stopped";
  return state.received.isCut ? "the beginning; the rest was left out" : "";
}

function Answer({ received, note, label }: { received: Received; note: string; label: string }) {
  const { address, statusCode, headers, text, elapsedMs } = received;
  const box = useRef<HTMLPreElement>(null);
  useEffect(() => {
    // What arrives is followed, as in a terminal.
    if (note === "still arriving" && text !== "") box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [note, text]);
  return (
    <>
      <p className={styles.status}>
        <strong>{statusCode}</strong> <code>{address}</code>{" "}
        <span className="muted">
          {Math.round(elapsedMs).toLocaleString("en")} ms{note && `, ${note}`}
        </span>
      </p>
      <dl className={styles.headers}>
        {headers.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <pre ref={box} {...scrollBox(label)} className={styles.text}>
        {text === "" ? "No body." : text}
      </pre>
    </>
  );
}

/** The answer to a try, as far as it has come. */
export function TryResponse({ state, label }: { state: TryState; label: string }) {
  const received = state.status === "running" || state.status === "done" ? state.received : undefined;
  return (
    <div className={styles.answer}>
      <p role="status" className={state.status === "failed" ? styles.failed : "visually-hidden"}>
        {spoken(state)}
      </p>
      {received && <Answer received={received} note={noteOf(state)} label={label} />}
    </div>
  );
}
