import { useEffect, useRef } from "react";
import { scrollBox } from "../../../_components/scroll-box";
import type { Received, TryState } from "./send-request";
import styles from "./try-it.module.css";

function describeState(state: TryState): string {
  if (state.status === "idle") return "";
  if (state.status === "running") return "Waiting for the response";
  if (state.status === "failed") return state.message;
  const { received, wasStopped } = state;
  return wasStopped ? "Stopped" : `Response with status ${received.statusCode}`;
}

function describeProgress(state: TryState): string {
  if (state.status === "running") return "receiving";
  if (state.status !== "done") return "";
  if (state.wasStopped) return "stopped";
  return state.received.isCut ? "truncated" : "";
}

function ReceivedResponse({ received, note, label }: { received: Received; note: string; label: string }) {
  const { url, statusCode, headers, text, elapsedMs } = received;
  const box = useRef<HTMLPreElement>(null);
  useEffect(() => {
    // Follow the end, as a terminal does.
    if (note === "receiving" && text !== "") box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [note, text]);
  return (
    <>
      <p className={styles.status}>
        <strong>{statusCode}</strong> <code>{url}</code>{" "}
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
        {text === "" ? "(no body)" : text}
      </pre>
    </>
  );
}

/** The response to a request, as far as it has been received. */
export function TryResponse({ state, label }: { state: TryState; label: string }) {
  const received = state.status === "running" || state.status === "done" ? state.received : undefined;
  return (
    <div className={styles.response}>
      <p role="status" className={state.status === "failed" ? styles.failed : "visually-hidden"}>
        {describeState(state)}
      </p>
      {received && <ReceivedResponse received={received} note={describeProgress(state)} label={label} />}
    </div>
  );
}
