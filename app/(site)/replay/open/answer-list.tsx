"use client";

import { useEffect, useRef } from "react";
import type { HarAnswer } from "#lib/replay/cassettes/browser";
import { Button } from "../../../_components/button";
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
export function AnswerList({ answers, previous, onChoose }: ListProps) {
  const last = useRef<HTMLButtonElement>(null);
  useEffect(() => last.current?.focus(), []);
  return (
    <ul className={styles.answers} aria-label="Answers">
      {answers.slice(0, maxListedCount).map((answer) => (
        <li key={answer.number}>
          <Button ref={answer.number === previous ? last : undefined} onClick={() => onChoose(answer.number)}>
            <span className="mono">{requestOf(answer)}</span>{" "}
            <span className={styles.answerFacts}>
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
export function ChosenAnswer({ answers, number, onReturn }: ChosenProps) {
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => line.current?.focus(), []);
  const answer = answers.find((one) => one.number === number);
  return (
    <div ref={line} tabIndex={-1} className={styles.chosen}>
      <p className="mono">{answer && requestOf(answer)}</p>
      <Button variant="quiet" onClick={onReturn}>
        All {answers.length} answers
      </Button>
    </div>
  );
}
