const dates = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

/** A day, such as `21 Nov 2026`, in UTC. */
export function day(at: Date | string): string {
  return dates.format(new Date(at));
}

/** `1 line`, `1,200 lines`. */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Bytes for people, in powers of ten: `840 B`, `5.2 kB`, `1.4 MB`. */
export function bytes(byteSize: number): string {
  if (byteSize < 1_000) return `${byteSize} B`;
  const [size, unit] = byteSize < 1_000_000 ? [byteSize / 1_000, "kB"] : [byteSize / 1_000_000, "MB"];
  return `${size.toFixed(size < 100 ? 1 : 0)} ${unit}`;
}

function tally(added: number, removed: number, noun: string): string {
  if (added === 0) return `${formatCount(removed, noun)} removed`;
  return `${formatCount(added, noun)} added${removed > 0 ? `, ${removed.toLocaleString("en")} removed` : ""}`;
}

type Lines = { linesAdded: number; linesRemoved: number };

/** `12 lines added, 3 removed`. */
export function formatLineChanges({ linesAdded, linesRemoved }: Lines): string {
  return tally(linesAdded, linesRemoved, "line");
}

/** `2 links added`. */
export function formatLinkChanges(added: number, removed: number): string {
  return tally(added, removed, "link");
}

/** The same for a table: `+12 −3`. */
export function formatShortChanges({ linesAdded, linesRemoved }: Lines): string {
  return `+${linesAdded.toLocaleString("en")} −${linesRemoved.toLocaleString("en")}`;
}
