import { formatCount } from "#lib/platform/format-count";

const dates = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

/** Formats a date in UTC: `21 Nov 2026`. */
export function formatDay(at: Date | string): string {
  return dates.format(new Date(at));
}

const dateTimes = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });

/** Formats a time to the minute: `21 Nov 2026, 06:00 UTC`. */
export function formatDateTime(at: Date | string): string {
  return `${dateTimes.format(new Date(at))} UTC`;
}

/** Indents JSON; returns the text unchanged if it is incomplete. */
export function indentJson(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

/** Formats bytes with decimal units: `840 B`, `5.2 kB`, `1.4 MB`. */
export function formatBytes(byteSize: number): string {
  if (byteSize < 1_000) return `${byteSize} B`;
  const [size, unit] = byteSize < 1_000_000 ? [byteSize / 1_000, "kB"] : [byteSize / 1_000_000, "MB"];
  return `${size.toFixed(size < 100 ? 1 : 0)} ${unit}`;
}

/** Formats what was added and removed, such as lines: `12 lines added, 3 removed`. */
function formatAddedRemoved(added: number, removed: number, noun: string): string {
  if (added === 0) return `${formatCount(removed, noun)} removed`;
  return `${formatCount(added, noun)} added${removed > 0 ? `, ${removed.toLocaleString("en")} removed` : ""}`;
}

type Lines = { linesAdded: number; linesRemoved: number };

/** Formats changed lines: `12 lines added, 3 removed`. */
export function formatLineChanges({ linesAdded, linesRemoved }: Lines): string {
  return formatAddedRemoved(linesAdded, linesRemoved, "line");
}

type Links = { linkCountAdded: number; linkCountRemoved: number };

/** Formats changed lines, and links if any changed: `3 lines added; 1 link added`. */
export function formatChanges(change: Lines & Links): string {
  const { linkCountAdded: added, linkCountRemoved: removed } = change;
  const links = added + removed > 0 ? `; ${formatAddedRemoved(added, removed, "link")}` : "";
  return `${formatLineChanges(change)}${links}`;
}

/** Formats changed lines for a table: `+12 −3`. */
export function formatShortChanges({ linesAdded, linesRemoved }: Lines): string {
  return `+${linesAdded.toLocaleString("en")} −${linesRemoved.toLocaleString("en")}`;
}
