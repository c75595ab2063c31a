import type { ChangeMarks } from "./mark-changes";

/** Lines that were replaced: a range of each side, one of which may be empty. */
export type ChangeRun = { beforeStart: number; beforeEnd: number; afterStart: number; afterEnd: number };

/** The runs of marked lines in order; the unmarked lines between them are equal on both sides. */
export function* changeRuns({ removed, added }: ChangeMarks): Generator<ChangeRun> {
  let beforeLine = 0;
  let afterLine = 0;
  while (beforeLine < removed.length || afterLine < added.length) {
    const run = { beforeStart: beforeLine, beforeEnd: beforeLine, afterStart: afterLine, afterEnd: afterLine };
    while (run.beforeEnd < removed.length && removed[run.beforeEnd] === 1) run.beforeEnd++;
    while (run.afterEnd < added.length && added[run.afterEnd] === 1) run.afterEnd++;
    if (run.beforeEnd > beforeLine || run.afterEnd > afterLine) yield run;
    beforeLine = run.beforeEnd + 1;
    afterLine = run.afterEnd + 1;
  }
}
