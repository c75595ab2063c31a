import { Children } from "react";
import type { LinePart, Move, ShownLine } from "#lib/tracking/diffs/index";
import styles from "./hunks.module.css";

const signs = { context: " ", added: "+", removed: "−" } as const;

/** Where a line stands on a side of the diff; its address is shared as `#L12` (older) or `#R12` (newer). */
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

/** What a line is, for the eye and the ear; copied text goes without. */
export function Sign({ kind }: { kind: ShownLine["kind"] }) {
  return (
    <td className={styles.sign}>
      <span aria-hidden="true">{signs[kind]}</span>
      {kind !== "context" && <span className="visually-hidden">{kind}</span>}
    </td>
  );
}

function dress({ text, isChanged }: LinePart, kind: ShownLine["kind"]) {
  if (!isChanged) return text;
  return kind === "added" ? <ins>{text}</ins> : <del>{text}</del>;
}

function placeOf({ firstLine, lineCount }: Move): string {
  return lineCount === 1 ? `line ${firstLine}` : `lines ${firstLine}–${firstLine + lineCount - 1}`;
}

function noteOf({ kind, omittedLength, move, isTerminated }: ShownLine, startsMove: boolean): string {
  const notes = [
    omittedLength > 0 && `${omittedLength.toLocaleString("en")} more characters`,
    move && startsMove && `moved ${kind === "added" ? "from" : "to"} ${placeOf(move)}`,
    !isTerminated && "no line feed at the end",
  ];
  return notes.filter(Boolean).join("; ");
}

/** Whether a line is the first of its moved block that is shown. */
export function isFirstOfMove(line: ShownLine, previous: ShownLine | undefined): boolean {
  return line.move !== null && line.move !== previous?.move;
}

type TextProps = { line: ShownLine; startsMove: boolean; className?: string };

/** The text of a line with the words that changed, and what is to be said of it. */
export function LineText({ line, startsMove, className }: TextProps) {
  const note = noteOf(line, startsMove);
  return (
    <td className={className}>
      <bdi>{Children.toArray(line.parts.map((part) => dress(part, line.kind)))}</bdi>
      {note && <span className={styles.note}>{note}</span>}
    </td>
  );
}
