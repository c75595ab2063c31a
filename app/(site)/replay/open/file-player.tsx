"use client";

import { type DragEvent, useEffect, useRef, useState } from "react";
import type { FileContent, HarAnswer, OpenedFile } from "#lib/replay/cassettes/browser";
import { Button } from "../../../_components/button";
import { Notice } from "../../../_components/page-parts";
import styles from "./page.module.css";

/** Most answers of a HAR file that are listed. */
const maxListedCount = 100;

const times = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" });

/** Formats the time of a HAR entry; any other text stays as it is. */
function formatStart(startedAt: string): string {
  const at = new Date(startedAt);
  return Number.isNaN(at.getTime()) ? startedAt : `${times.format(at)} UTC`;
}

const requestOf = ({ number, method, url }: HarAnswer) => `${number}: ${method} ${url}`;

type ListProps = {
  answers: readonly HarAnswer[];
  /** The answer that was played before the list was opened again; it gets the focus. */
  previous: number | undefined;
  onChoose: (number: number) => void;
};

/** The answers of a HAR file, to choose one. */
function AnswerList({ answers, previous, onChoose }: ListProps) {
  const last = useRef<HTMLButtonElement>(null);
  useEffect(() => last.current?.focus(), []);
  return (
    <ul className={`${styles.answers} stack tight plain-list`} aria-label="Answers">
      {answers.slice(0, maxListedCount).map((answer) => (
        <li key={answer.number}>
          <Button ref={answer.number === previous ? last : undefined} onClick={() => onChoose(answer.number)}>
            <span className="mono">{requestOf(answer)}</span>
            <br />
            <span className="caption">
              status {answer.status}
              {answer.startedAt && `, ${formatStart(answer.startedAt)}`}
            </span>
          </Button>
        </li>
      ))}
      {answers.length > maxListedCount && <li>Only the first {maxListedCount} are listed.</li>}
    </ul>
  );
}

type ChosenProps = { answers: readonly HarAnswer[]; number: number; onReturn: () => void };

/** Names the answer that is played, with a way back to the others. It gets the focus in place of the list. */
function ChosenAnswer({ answers, number, onReturn }: ChosenProps) {
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => line.current?.focus(), []);
  const answer = answers.find((one) => one.number === number);
  return (
    <div ref={line} tabIndex={-1} className="row spread">
      <p className="mono">{answer && requestOf(answer)}</p>
      <Button variant="quiet" onClick={onReturn}>
        All {answers.length} answers
      </Button>
    </div>
  );
}

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
        className={`${styles.drop} ${isOver ? styles.over : ""} scripted`}
        data-ready={code !== undefined}
        onDragOver={onDragOver}
        onDragLeave={() => setIsOver(false)}
        onDrop={onDrop}
      >
        <label className="stack tight">
          <strong>Choose a file, or drop it here</strong>
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
      <div className={`${styles.content} stack`}>
        <p role="status" className={state.phase === "opened" ? "visually-hidden" : undefined}>
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
      </div>
    </>
  );
}
