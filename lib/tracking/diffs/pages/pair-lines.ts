import type { ShownLine } from "./show-hunks";

/** A row of the side-by-side view; null where a side has no line. */
export type LinePair = { before: ShownLine | null; after: ShownLine | null };

/** Lines of a hunk side by side: context beside itself, removed lines beside the added ones that follow them. */
export function pairLines(lines: readonly ShownLine[]): LinePair[] {
  const pairs: LinePair[] = [];
  let [removed, added]: [ShownLine[], ShownLine[]] = [[], []];
  const flush = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++) {
      pairs.push({ before: removed[index] ?? null, after: added[index] ?? null });
    }
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === "removed") {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === "added") added.push(line);
    else {
      flush();
      pairs.push({ before: line, after: line });
    }
  }
  flush();
  return pairs;
}
