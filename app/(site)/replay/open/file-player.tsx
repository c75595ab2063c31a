"use client";

import { type DragEvent, useEffect, useRef, useState } from "react";
import type { FileContent, HarAnswer, OpenedFile } from "#lib/replay/cassettes/browser";
import { Button } from "../../../_components/button";
import { Notice } from "../../../_components/notice";
import styles from "./page.module.css";

/** The code that reads files and plays them. It is loaded after the page, and before a file is chosen. */
const loadCode = () => import("./opened-recording");

/** The file that is open; `number` tells it from an earlier one of the same name. */
type Opened = { name: string; number: number };
type State =
  | { phase: "empty" }
  | { phase: "reading"; name: string }
  | { phase: "failed"; message: string }
  | { phase: "choice"; file: File; answers: HarAnswer[] }
  | { phase: "opened"; opened: Opened; recording: OpenedFile };

/** Most answers of a HAR file that are listed. */
const maxListedCount = 100;

function describeAnswer({ number, method, url, status, startedAt }: HarAnswer): string {
  return [`${number}: ${method} ${url}`, `status ${status}`, startedAt].filter(Boolean).join(" · ");
}

function statusText(state: State): string {
  switch (state.phase) {
    case "reading":
      return `Reading ${state.name}…`;
    case "choice":
      return `${state.file.name} has ${state.answers.length} answers. Choose one.`;
    case "opened":
      return `Opened ${state.opened.name}: ${state.recording.events.length} events.`;
    default:
      return "";
  }
}

/** Opens a file and plays it. The file is read in the browser and is never sent. */
export function FilePlayer() {
  const [state, setState] = useState<State>({ phase: "empty" });
  const [code, setCode] = useState<Awaited<ReturnType<typeof loadCode>>>();
  const [isOver, setIsOver] = useState(false);
  const latest = useRef(0);
  useEffect(() => {
    loadCode().then(setCode, () =>
      setState({ phase: "failed", message: "The player could not be loaded. Reload the page to try again." }),
    );
  }, []);

  const open = async (file: File, entry?: number) => {
    if (!code) return;
    latest.current += 1;
    const number = latest.current;
    const { name } = file;
    setState({ phase: "reading", name });
    try {
      const content: FileContent = await code.readFile(file, entry);
      if (latest.current !== number) return;
      if (content.kind === "choice") setState({ phase: "choice", file, answers: content.answers });
      else setState({ phase: "opened", opened: { name, number }, recording: content.recording });
    } catch (error) {
      if (latest.current === number) setState({ phase: "failed", message: code.explain(error, name) });
    }
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    const [file] = event.dataTransfer.files;
    if (file) void open(file);
  };
  const onDragOver = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(true);
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping a file is an addition to the field inside */}
      <div
        className={`${styles.drop} ${isOver ? styles.over : ""}`}
        data-ready={code !== undefined}
        onDragOver={onDragOver}
        onDragLeave={() => setIsOver(false)}
        onDrop={onDrop}
      >
        <label>
          Choose a file, or drop it here
          <input
            type="file"
            accept=".sse,.har,.json,.jsonl,.ndjson,.txt"
            disabled={!code}
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              if (file) void open(file);
            }}
          />
        </label>
      </div>
      <p role="status" className={state.phase === "opened" ? "visually-hidden" : styles.status}>
        {statusText(state)}
      </p>
      {state.phase === "failed" && (
        <Notice tone="error" title="Couldn’t open the file.">
          {state.message}
        </Notice>
      )}
      {state.phase === "choice" && (
        <ul className={styles.answers} aria-label="Answers">
          {state.answers.slice(0, maxListedCount).map((answer) => (
            <li key={answer.number}>
              <Button onClick={() => open(state.file, answer.number)}>{describeAnswer(answer)}</Button>
            </li>
          ))}
          {state.answers.length > maxListedCount && <li>Only the first {maxListedCount} are listed.</li>}
        </ul>
      )}
      {state.phase === "opened" && code && (
        <code.OpenedRecording key={state.opened.number} name={state.opened.name} recording={state.recording} />
      )}
    </>
  );
}
