"use client";

import { type DragEvent, useEffect, useRef, useState } from "react";
import type { FileContent, HarAnswer, OpenedFile } from "#lib/replay/cassettes/browser";
import { Notice } from "../../../_components/notice";
import { AnswerList, ChosenAnswer } from "./answer-list";
import styles from "./page.module.css";

/** The code that reads files and plays them. It is loaded after the page, and before a file is chosen. */
const loadCode = () => import("./opened-recording");

/** The file that is open; `number` tells it from an earlier one of the same name. */
type Opened = { name: string; number: number };
/** A HAR file with several answers. */
type Choice = { file: File; answers: HarAnswer[] };
type State =
  | { phase: "empty" }
  | { phase: "reading"; name: string }
  | { phase: "failed"; message: string }
  | ({ phase: "choice"; previous?: number } & Choice)
  | { phase: "opened"; opened: Opened; recording: OpenedFile; choice: (Choice & { number: number }) | undefined };

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

  const open = async (file: File, chosen?: Choice & { number: number }) => {
    if (!code) return;
    latest.current += 1;
    const number = latest.current;
    const { name } = file;
    setState({ phase: "reading", name });
    try {
      const content: FileContent = await code.readFile(file, chosen?.number);
      if (latest.current !== number) return;
      if (content.kind === "choice") setState({ phase: "choice", file, answers: content.answers });
      else setState({ phase: "opened", opened: { name, number }, recording: content.recording, choice: chosen });
    } catch (error) {
      if (latest.current === number) setState({ phase: "failed", message: code.explain(error, name) });
    }
  };
  const showChoice = (choice: (Choice & { number: number }) | undefined) => {
    if (choice) setState({ phase: "choice", file: choice.file, answers: choice.answers, previous: choice.number });
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
        <AnswerList
          answers={state.answers}
          previous={state.previous}
          onChoose={(number) => open(state.file, { file: state.file, answers: state.answers, number })}
        />
      )}
      {state.phase === "opened" && code && (
        <code.OpenedRecording key={state.opened.number} name={state.opened.name} recording={state.recording}>
          {state.choice && <ChosenAnswer {...state.choice} onReturn={() => showChoice(state.choice)} />}
        </code.OpenedRecording>
      )}
    </>
  );
}
