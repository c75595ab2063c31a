import { Children, type ReactNode } from "react";
import {
  type LinePair,
  type LinePart,
  type Move,
  pairLines,
  type ShownHunk,
  type ShownLine,
} from "#lib/tracking/diffs/index";
import { nameFinding } from "#lib/tracking/security/index";
import styles from "./hunks.module.css";
import { LineKeys } from "./line-keys";

const signs = { context: " ", added: "+", removed: "−" } as const;

/** A line number, which is also a link target: `#L12` (older side) or `#R12` (newer side). */
function LineNumber({ side, line }: { side: "L" | "R"; line: number | null }) {
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
function Sign({ kind }: { kind: ShownLine["kind"] }) {
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

function describeLine({ kind, omittedLength, move, isTerminated }: ShownLine, startsMove: boolean): string {
  const notes = [
    omittedLength > 0 && `${omittedLength.toLocaleString("en")} more characters`,
    move && startsMove && `moved ${kind === "added" ? "from" : "to"} ${describeRange(move)}`,
    !isTerminated && "no newline at the end",
  ];
  return notes.filter(Boolean).join("; ");
}

/** Whether a line is the first shown line of its moved block. */
function isFirstOfMove(line: ShownLine, previous: ShownLine | undefined): boolean {
  return line.move !== null && line.move !== previous?.move;
}

type TextProps = { line: ShownLine; startsMove: boolean; className?: string };

/** The text of a line, with changed words marked and notes about it. What a security detector found is folded. */
function LineText({ line, startsMove, className }: TextProps) {
  const note = describeLine(line, startsMove);
  const text = (
    <div dir="auto">
      {Children.toArray(line.parts.map((part) => markChange(part, line.kind)))}
      {note && (
        <span dir="ltr" className={styles.note}>
          {note}
        </span>
      )}
    </div>
  );
  if (line.detectors.length === 0) return <td className={className}>{text}</td>;
  return (
    <td className={className}>
      <details className={styles.flagged}>
        <summary>Found here: {line.detectors.map(nameFinding).join("; ")}</summary>
        {text}
      </details>
    </td>
  );
}

/** A line, and whether it is the first one of a moved block. */
type RowProps = { line: ShownLine; startsMove: boolean };

function rowClass({ kind, move }: ShownLine): string {
  return [kind !== "context" && styles[kind], move && styles.moved].filter(Boolean).join(" ");
}

function UnifiedRow({ line, startsMove }: RowProps) {
  return (
    <tr className={rowClass(line)}>
      <LineNumber side="L" line={line.oldLine} />
      <LineNumber side="R" line={line.newLine} />
      <Sign kind={line.kind} />
      <LineText line={line} startsMove={startsMove} className={styles.text} />
    </tr>
  );
}

function Half({ side, line, previous }: { side: "L" | "R"; line: ShownLine | null; previous?: ShownLine | null }) {
  if (!line) {
    return (
      <>
        <td className={styles.number} />
        <td className={styles.sign} />
        <td className={styles.absent} />
      </>
    );
  }
  const startsMove = isFirstOfMove(line, previous ?? undefined);
  return (
    <>
      <LineNumber side={side} line={side === "L" ? line.oldLine : line.newLine} />
      <Sign kind={line.kind} />
      <LineText line={line} startsMove={startsMove} className={`${styles.text} ${rowClass(line)}`} />
    </>
  );
}

function SplitRow({ pair, previous }: { pair: LinePair; previous?: LinePair }) {
  return (
    <tr>
      <Half side="L" line={pair.before} previous={previous?.before} />
      <Half side="R" line={pair.after} previous={previous?.after} />
    </tr>
  );
}

function formatHunkHeader({ oldStart, oldLines, newStart, newLines, isContinued }: ShownHunk): string {
  return `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@${isContinued ? " continued" : ""}`;
}

const columns = {
  unified: ["Older line", "Newer line", "Kind", "Text"],
  split: ["Older line", "Older kind", "Older text", "Newer line", "Newer kind", "Newer text"],
} as const;

export type HunkView = keyof typeof columns;

/** Renders the rows of a hunk. Line numbers are unique within a view, so they are the keys. */
function renderRows({ lines }: ShownHunk, view: HunkView) {
  if (view === "unified") {
    return lines.map((line, index) => {
      const startsMove = isFirstOfMove(line, lines[index - 1]);
      return <UnifiedRow key={`${line.oldLine} ${line.newLine}`} line={line} startsMove={startsMove} />;
    });
  }
  return pairLines(lines).map((pair, index, pairs) => (
    <SplitRow key={`${pair.before?.oldLine} ${pair.after?.newLine}`} pair={pair} previous={pairs[index - 1]} />
  ));
}

type LineTableProps = { label: string; titles: readonly string[]; view: HunkView | "lines"; children: ReactNode };

/** A table of numbered lines. */
export function LineTable({ label, titles, view, children }: LineTableProps) {
  return (
    <LineKeys label={label} className={`${styles.box} panel`}>
      <table className={`${styles.table} ${styles[view]}`}>
        <caption className="visually-hidden">{label}</caption>
        <thead className={styles.head}>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col">
                <span className="visually-hidden">{title}</span>
              </th>
            ))}
          </tr>
        </thead>
        {children}
      </table>
    </LineKeys>
  );
}

/** The hunks of a diff, unified or side by side. Vendors' text is shown as plain text. */
export function Hunks({ hunks, view }: { hunks: readonly ShownHunk[]; view: HunkView }) {
  const titles = columns[view];
  return (
    <LineTable label="Changed lines" titles={titles} view={view}>
      {hunks.map((hunk) => (
        <tbody key={`${hunk.oldStart} ${hunk.newStart}`}>
          <tr className={styles.title}>
            <th colSpan={titles.length} scope="rowgroup">
              {formatHunkHeader(hunk)}
            </th>
          </tr>
          {renderRows(hunk, view)}
        </tbody>
      ))}
    </LineTable>
  );
}
