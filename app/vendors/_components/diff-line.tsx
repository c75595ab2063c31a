import { Children } from "react";
import type { LinePart, Move, ShownLine } from "#lib/tracking/diffs/index";
import styles from "./hunks.module.css";

const signs = { context: " ", added: "+", removed: "−" } as const;

/** A line number, which is also a link target: `#L12` (older side) or `#R12` (newer side). */
export function LineNumber({ side, line }: { side: "L" | "R"; line: number | null }) {
  if (line === null) return <td className={styles.number} />;
  const id = `${side}${line}`;
  return (
    <td id={id} className={styles.number}>
      <a href={`#${id}`} aria-label={`${side === "L" ? "Older" : "Newer"} line ${line}`}>
        {line}
      </a>
    </td>
  );
}

/** The sign of a line, with a text for screen readers. It is not part of copied text. */
export function Sign({ kind }: { kind: ShownLine["kind"] }) {
  return (
    <td className={styles.sign}>
      <span aria-hidden="true">{signs[kind]}</span>
      {kind !== "context" && <span className="visually-hidden">{kind}</span>}
    </td>
  );
}

function markChange({ text, isChanged }: LinePart, kind: ShownLine["kind"]) {
  if (!isChanged) return text;
  return kind === "added" ? <ins>{text}</ins> : <del>{text}</del>;
}

function describeRange({ firstLine, lineCount }: Move): string {
  return lineCount === 1 ? `line ${firstLine}` : `lines ${firstLine}–${firstLine + lineCount - 1}`;
}

function describeLine({ kind, leftOutLength, move, isTerminated }: ShownLine, startsMove: boolean): string {
  const notes = [
    leftOutLength > 0 && `${leftOutLength.toLocaleString("en")} more characters`,
    move && startsMove && `moved ${kind === "added" ? "from" : "to"} ${describeRange(move)}`,
    !isTerminated && "no newline at the end",
  ];
  return notes.filter(Boolean).join("; ");
}

/** Whether a line is the first shown line of its moved block. */
export function isFirstOfMove(line: ShownLine, previous: ShownLine | undefined): boolean {
  return line.move !== null && line.move !== previous?.move;
}

type TextProps = { line: ShownLine; startsMove: boolean; className?: string };

/** The text of a line, with changed words marked and notes about it. */
export function LineText({ line, startsMove, className }: TextProps) {
  const note = describeLine(line, startsMove);
  return (
    <td className={className}>
      <bdi>{Children.toArray(line.parts.map((part) => markChange(part, line.kind)))}</bdi>
      {note && <span className={styles.note}>{note}</span>}
    </td>
  );
}
