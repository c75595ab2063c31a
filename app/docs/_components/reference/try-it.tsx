"use client";

import { type FormEvent, useEffect, useRef, useState } from "react";
import type { ReferenceOperation, ReferenceParameter } from "#lib/server/openapi/index";
import { Button } from "../../../_components/button";
import { describedBy, Field } from "../../../_components/field";
import { indentJson } from "../../../_components/format";
import { scrollBox } from "../../../_components/scroll-box";
import styles from "./try-it.module.css";

/** A response, as far as it has been received. */
export type Received = {
  /** The requested path and query. */
  url: string;
  statusCode: number;
  headers: [name: string, value: string][];
  text: string;
  /** Whether the body is longer than what is shown. */
  isCut: boolean;
  /** Time from sending the request to the last byte so far, in milliseconds. */
  elapsedMs: number;
};

export type TryState =
  | { status: "idle" }
  | { status: "running"; received?: Received }
  | { status: "done"; received: Received; wasStopped: boolean }
  | { status: "failed"; message: string };

/** Maximum length of a body that is read and shown, in characters. */
const maxTextLength = 60_000;
const shownHeaders =
  /^(content-type|cache-control|etag|last-modified|location|retry-after|x-request-id|x-ratelimit-.*|x-replay-.*|x-content-security-score)$/;

/** Builds the URL of a request. Whatever the user types, it stays on the page's own origin. */
export function buildUrl(
  path: string,
  parameters: readonly Pick<ReferenceParameter, "name" | "place">[],
  values: Readonly<Record<string, string>>,
): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, place } of parameters) {
    const value = values[name] ?? "";
    if (place === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(value).replace(/^\.+$/, "%2E"));
    else if (value !== "") query.append(name, value);
  }
  return query.size > 0 ? `${filled}?${query}` : filled;
}

async function* readText(response: Response): AsyncGenerator<string> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value;
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

/** Sends a GET request without credentials, and reports progress until the response ends, is too long, or is stopped. */
export async function sendTryRequest(
  url: string,
  signal: AbortSignal,
  onState: (state: TryState) => void,
): Promise<void> {
  const startMs = performance.now();
  let received: Received | undefined;
  onState({ status: "running" });
  try {
    const response = await fetch(url, { signal, credentials: "omit", cache: "no-store" });
    const type = response.headers.get("content-type") ?? "";
    const headers = [...response.headers].filter(([name]) => shownHeaders.test(name));
    const snapshot = (text: string, isCut: boolean): Received => ({
      url,
      statusCode: response.status,
      headers,
      text,
      isCut,
      elapsedMs: performance.now() - startMs,
    });
    received = snapshot("", false);
    onState({ status: "running", received });
    for await (const text of readText(response)) {
      received = snapshot(received.text + text, false);
      if (received.text.length > maxTextLength) {
        received = snapshot(received.text.slice(0, maxTextLength), true);
        break;
      }
      onState({ status: "running", received });
    }
    const isWholeJson = /\bjson\b/.test(type) && !received.isCut;
    const last = isWholeJson ? { ...received, text: indentJson(received.text) } : received;
    onState({ status: "done", received: last, wasStopped: false });
  } catch {
    if (signal.aborted && received) return onState({ status: "done", received, wasStopped: true });
    const message = signal.aborted
      ? "Stopped before a response arrived."
      : "No response. Check that the service can be reached.";
    onState({ status: "failed", message });
  }
}

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
      <p className="text">
        <strong>{statusCode}</strong> <code>{url}</code>{" "}
        <span className="muted">
          {Math.round(elapsedMs).toLocaleString("en")} ms{note && `, ${note}`}
        </span>
      </p>
      <dl className={`${styles.headers} mono`}>
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
function TryResponse({ state, label }: { state: TryState; label: string }) {
  const received = state.status === "running" || state.status === "done" ? state.received : undefined;
  return (
    <div className="stack tight">
      <p role="status" className={state.status === "failed" ? "failed" : "visually-hidden"}>
        {describeState(state)}
      </p>
      {received && <ReceivedResponse received={received} note={describeProgress(state)} label={label} />}
    </div>
  );
}

type Props = Pick<ReferenceOperation, "id" | "path" | "parameters" | "summary">;

/** Describes an input. A select needs no hint, because it shows its values. */
function describeHint({ values, type, bounds }: ReferenceParameter): string | undefined {
  return values.length > 0 ? undefined : [type, bounds].filter(Boolean).join(", ");
}

function Input({ id, parameter }: { id: string; parameter: ReferenceParameter }) {
  const { name, isRequired, values, example } = parameter;
  const shared = {
    id,
    name,
    required: isRequired,
    "aria-describedby": describedBy(id, { hint: describeHint(parameter) }),
  };
  if (values.length > 0) {
    return (
      <select {...shared} defaultValue={isRequired ? example : ""}>
        {!isRequired && <option value="">not set</option>}
        {values.map((value) => (
          <option key={value}>{value}</option>
        ))}
      </select>
    );
  }
  const placeholder = isRequired || example === "" ? undefined : example;
  return (
    <input
      {...shared}
      type="text"
      maxLength={300}
      autoComplete="off"
      spellCheck={false}
      defaultValue={isRequired ? example : ""}
      placeholder={placeholder}
    />
  );
}

/** Sends an anonymous GET request to this origin and shows the response. It never sends a key. */
export function TryIt({ id, path, parameters: all, summary }: Props) {
  const parameters = all.filter(({ place }) => place !== "header");
  const [state, setState] = useState<TryState>({ status: "idle" });
  const running = useRef<AbortController>(null);
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const formData = new FormData(event.currentTarget);
    const values = Object.fromEntries(parameters.map(({ name }) => [name, String(formData.get(name) ?? "")]));
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const onState = (next: TryState) => running.current === controller && setState(next);
    void sendTryRequest(buildUrl(path, parameters, values), controller.signal, onState);
  };
  const isRunning = state.status === "running";
  return (
    <details className={`${styles.try} panel scripted`}>
      <summary>Try it</summary>
      <form onSubmit={send} className={`${styles.form} stack`} aria-label={`Try: ${summary}`}>
        {parameters.length > 0 && (
          <div className={styles.fields}>
            {parameters.map((parameter) => {
              const fieldId = `${id}-${parameter.name}`;
              const suffix = parameter.isRequired ? ", required" : "";
              return (
                <Field key={fieldId} id={fieldId} label={`${parameter.name}${suffix}`} hint={describeHint(parameter)}>
                  <Input id={fieldId} parameter={parameter} />
                </Field>
              );
            })}
          </div>
        )}
        <p className="row">
          <Button type="submit">Send</Button>
          <Button disabled={!isRunning} onClick={() => running.current?.abort()}>
            Stop
          </Button>
        </p>
        <TryResponse state={state} label={`response: ${summary}`} />
      </form>
    </details>
  );
}
