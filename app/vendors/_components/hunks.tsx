import { type LinePair, pairLines, type ShownHunk, type ShownLine } from "#lib/tracking/diffs/index";
import { scrollBox } from "../../_components/scroll-box";
import { isFirstOfMove, LineNumber, LineText, Sign } from "./diff-line";
import styles from "./hunks.module.css";

/** A line, and whether it is the first one of a moved block. */
type RowProps = { line: ShownLine; startsMove: boolean };

function rowClass({ kind, move }: ShownLine): string {
  return `${styles[kind]} ${move ? styles.moved : ""}`.trim();
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

/** The hunks of a diff, unified or side by side. Vendors' text is shown as plain text. */
export function Hunks({ hunks, view }: { hunks: readonly ShownHunk[]; view: HunkView }) {
  const titles = columns[view];
  return (
    <div {...scrollBox("Changed lines")} className={styles.box}>
      <table className={`${styles.table} ${styles[view]}`}>
        <caption className="visually-hidden">Changed lines</caption>
        <thead className={styles.head}>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col">
                <span className="visually-hidden">{title}</span>
              </th>
            ))}
          </tr>
        </thead>
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
      </table>
    </div>
  );
}
