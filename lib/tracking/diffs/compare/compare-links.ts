import { isLink, visitLinks } from "./find-links";
import type { ChangeRun } from "./mark-changes";
import { type Lines, mix, SpanList, SpanTable } from "./spans";

/** Links that only one of the texts has, each once, in order of appearance. */
export type LinkChanges = { linksAdded: string[]; linksRemoved: string[] };

/** Candidates for links in parts of a text. */
class LinkSpans extends SpanList {
  constructor(
    text: string,
    readonly seed: number,
  ) {
    super(text);
  }

  addPart(from: number, to: number): void {
    visitLinks(this.text, from, to, (start, end) => {
      let hash = this.seed;
      for (let index = start; index < end; index++) hash = mix(hash, this.text.charCodeAt(index));
      this.add(start, end, hash);
    });
  }

  addLines({ starts, ends }: Lines, from: number, to: number): void {
    if (to > from) this.addPart(starts[from]!, ends[to - 1]!);
  }
}

/** Bits for the sides on which a link occurs. */
const [old, now] = [1, 2];

/** Compares the links of two texts. A link is within one line, so only changed lines can add or remove one. */
export function compareLinks(before: Lines, after: Lines, runs: readonly ChangeRun[], seed: number): LinkChanges {
  const removed = new LinkSpans(before.text, seed);
  const added = new LinkSpans(after.text, seed);
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of runs) {
    removed.addLines(before, beforeStart, beforeEnd);
    added.addLines(after, afterStart, afterEnd);
  }
  const table = new SpanTable();
  const [removedIds, addedIds] = [table.add(removed), table.add(added)];
  const sides = new Uint8Array(table.idCount);
  for (const id of removedIds) sides[id]! |= old;
  for (const id of addedIds) sides[id]! |= now;

  if (sides.some((side) => side === old || side === now)) {
    const kept = new LinkSpans(before.text, seed);
    let from = 0;
    for (const { beforeStart, beforeEnd } of runs) {
      if (beforeStart === beforeEnd) continue;
      kept.addPart(from, before.starts[beforeStart]!);
      from = before.ends[beforeEnd - 1]!;
    }
    kept.addPart(from, before.text.length);
    for (const id of table.find(kept)) if (id >= 0) sides[id] = old | now;
  }

  const changes: LinkChanges = { linksAdded: [], linksRemoved: [] };
  for (let id = 0; id < table.idCount; id++) {
    if (sides[id] === (old | now)) continue;
    const link = table.textOf(id);
    if (isLink(link)) (sides[id] === now ? changes.linksAdded : changes.linksRemoved).push(link);
  }
  return changes;
}
