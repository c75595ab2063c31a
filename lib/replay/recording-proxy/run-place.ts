import { dirname } from "node:path";
import { LRUCache } from "lru-cache";
import { type Cassette, recordedAtOf } from "#lib/replay/cassettes/index";
import { textOrNull } from "#lib/replay/providers/index";

/** Where and when the requests of a run were sent. Of recordings, only what their requests name is known. */
export type RunPlace = {
  /** Absolute paths: where `tapedeck run` was started, and the home directory there. */
  folder?: string | undefined;
  home?: string | undefined;
  /** The day there, as YYYY-MM-DD. */
  day?: string | undefined;
};

/** Returns the day of a time in the time zone of this machine, as YYYY-MM-DD. */
export function localDay(time: Date): string {
  const parts = [time.getFullYear(), time.getMonth() + 1, time.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}

export const escapeText = (text: string) => JSON.stringify(text).slice(1, -1);
const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** Returns the forms of a path in texts: as it is, in JSON inside of them, and with slashes. In these, it begins a path. */
const pathForms = (path: string) => [path, escapeText(path), path.replaceAll("\\", "/")];
/** Returns a path as the name of a folder, which agents have for what they know of a project. */
export const nameForm = (path: string) => path.replace(/[^A-Za-z0-9]/g, "-");

/** Returns an expression that finds a path, and the paths below it, but no longer name; null for one that is the root of all. */
function patternOf(path: string | undefined): RegExp | null {
  if (!path || dirname(path) === path) return null;
  const forms = [...new Set(pathForms(path).flatMap((form) => [form, Buffer.from(form).toString("latin1")]))];
  const start = String.raw`(?<=^|[^\w.~/\\-]|\\[bfnrt]|\bfile:\/\/)`;
  const name = String.raw`(?<=[/\\])${escapePattern(nameForm(path))}`;
  return new RegExp(String.raw`(?:${start}(?:${forms.map(escapePattern).join("|")})(?!\.?[\w-])|${name}(?!\w))`, "g");
}

/** Returns a day as prompts write it. */
function dayForms(day: string): string[] {
  const date = new Date(`${day}T12:00:00Z`);
  const write = (options: Intl.DateTimeFormatOptions) =>
    date.toLocaleDateString("en-US", { timeZone: "UTC", ...options });
  const long = { year: "numeric", month: "long", day: "numeric" } as const;
  const short = `${write({ weekday: "short" })} ${write({ month: "short" })} ${day.slice(8)} ${day.slice(0, 4)}`;
  return [write({ ...long, weekday: "long" }), write(long), short, day];
}

export type Pattern = { pattern: RegExp; field: keyof RunPlace };
/** Most places whose expressions are kept: a tape has few. */
const known = new LRUCache<string, Pattern[]>({ max: 100 });

/** Returns what finds a place in texts, the longer path first. */
export function patternsOf(place: RunPlace): Pattern[] {
  const key = JSON.stringify(place);
  const found = known.get(key);
  if (found) return found;
  const { folder, home, day } = place;
  const paths = [
    { path: folder, field: "folder" as const },
    { path: home === folder ? undefined : home, field: "home" as const },
  ].sort((a, b) => (b.path?.length ?? 0) - (a.path?.length ?? 0));
  const patterns = paths.flatMap(({ path, field }): Pattern[] => {
    const pattern = patternOf(path);
    return pattern ? [{ pattern, field }] : [];
  });
  if (day !== undefined)
    patterns.push({
      pattern: new RegExp(`(?<![\\w-])(?:${dayForms(day).join("|")})(?![\\w-]| \\d{2}:\\d{2})`, "g"),
      field: "day",
    });
  known.set(key, patterns);
  return patterns;
}

/** Returns what of the place of a request is known of a recording too. */
export function commonPlace(own: RunPlace = {}, recorded: RunPlace = {}): RunPlace {
  return { folder: recorded.folder && own.folder, home: recorded.home && own.home, day: recorded.day && own.day };
}

/** Replaces the folder, the home directory and the day of a run in a text. */
export function replacePlace(text: string, place: RunPlace): string {
  return patternsOf(place).reduce((rest, { pattern, field }) => rest.replace(pattern, `<${field}>`), text);
}

type Provenance = Pick<Cassette["provenance"], "recorded_at" | "source">;

/** Returns what a recording says of its run. */
export function recordedPlace({ recorded_at, source }: Provenance): RunPlace {
  const [folder, home, day] = [source.folder, source.home, source.day].map((value) => textOrNull(value) ?? undefined);
  return { folder, home, day: day ?? recordedAtOf({ recorded_at, source })?.slice(0, 10) };
}

/** Returns when the request of a recording was sent, or only on which day; undefined if not even that is known. */
export function recordedSentAt({ recorded_at, source }: Provenance): string | undefined {
  return textOrNull(source.sent_at) ?? recordedAtOf({ recorded_at, source })?.slice(0, 10);
}

/**
 * Returns the source of a recording with what its request names of its run; the day only if it is not that in UTC, and when it
 * was sent.
 */
export function sourceWithPlace(
  { folder: _folder, home: _home, day: _day, sent_at: _sentAt, ...source }: Provenance["source"],
  { body, place = {}, sentAt }: { body: unknown; place?: RunPlace | undefined; sentAt?: string | undefined },
  recordedAt: Date,
): Provenance["source"] {
  const text = JSON.stringify(body);
  const named = patternsOf(place).flatMap(({ pattern, field }) => (text.search(pattern) >= 0 ? [field] : []));
  const isStored = (field: keyof RunPlace) => field !== "day" || place.day !== recordedAt.toISOString().slice(0, 10);
  return {
    ...source,
    ...Object.fromEntries(named.filter(isStored).map((field) => [field, place[field] as string])),
    ...(sentAt !== undefined && { sent_at: sentAt }),
  };
}
