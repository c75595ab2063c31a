import { homedir, tmpdir } from "node:os";
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
  /** The folder of temporary files there, if it is none of the usual ones. */
  temporary?: string | undefined;
};

/** Returns the day of a time in the time zone of this machine, as YYYY-MM-DD. */
export function localDay(time: Date): string {
  const parts = [time.getFullYear(), time.getMonth() + 1, time.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}

export const escapeText = (text: string) => JSON.stringify(text).slice(1, -1);
const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** The usual folders of temporary files. */
const usualTemporary = String.raw`(?:\/private)?\/(?:tmp|var\/tmp|var\/folders\/\w{2}\/\w{1,40}\/T)|[A-Za-z]:\\Users\\[^\\\s]{1,60}\\AppData\\Local\\Temp`;
/** Below these, the first name is made up for one run; pytest-xdist adds the name of a worker. */
const madeUp = String.raw`[\\/](?:pytest-of-[\w.-]{1,60}[\\/])?[\w.-]{0,99}\w(?:[\\/]popen-gw\d{1,4}(?!\w))?`;
const temporaryPatterns = new LRUCache<string, RegExp>({ max: 100 });

/** Returns an expression that finds temporary paths up to the name that is made up for one run. */
export function temporaryPattern({ temporary = "" }: RunPlace = {}): RegExp {
  const own = temporary === "" ? "" : String.raw`(?<![\w.~/\\-])${escapePattern(temporary)}|`;
  const found = temporaryPatterns.get(own) ?? new RegExp(`(?:${own}${usualTemporary})${madeUp}`, "gi");
  temporaryPatterns.set(own, found);
  return found;
}

/** Returns where this process runs. */
export function currentPlace(): RunPlace {
  const temporary = tmpdir();
  const isUsual = new RegExp(`^(?:${usualTemporary})$`, "i").test(temporary);
  return { folder: process.cwd(), home: homedir(), temporary: isUsual ? undefined : temporary };
}

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

/** Returns a day as prompts write it in words. */
function proseForms(day: string): string[] {
  const date = new Date(`${day}T12:00:00Z`);
  const write = (options: Intl.DateTimeFormatOptions) =>
    date.toLocaleDateString("en-US", { timeZone: "UTC", ...options });
  const long = { year: "numeric", month: "long", day: "numeric" } as const;
  const short = `${write({ weekday: "short" })} ${write({ month: "short" })} ${day.slice(8)} ${day.slice(0, 4)}`;
  return [write({ ...long, weekday: "long" }), write(long), short];
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
      // With a time of day, it is a time.
      pattern: new RegExp(
        String.raw`(?<![\w-])(?:${day}(?! \d{2}:\d{2})|(?:${proseForms(day).join("|")})(?!,?(?: at)? \d{1,2}:\d{2}))(?![\w-])`,
        "g",
      ),
      field: "day",
    });
  known.set(key, patterns);
  return patterns;
}

/** Returns what of the place of a request is known of a recording too, and where its temporary files are. */
export function commonPlace(own: RunPlace = {}, recorded: RunPlace = {}): RunPlace {
  const { temporary } = own;
  const [folder, home, day] = [recorded.folder && own.folder, recorded.home && own.home, recorded.day && own.day];
  return { folder, home, day, temporary };
}

/** Replaces the folder, the home directory and the day of a run in a text. */
export function replacePlace(text: string, place: RunPlace): string {
  return patternsOf(place).reduce((rest, { pattern, field }) => rest.replace(pattern, `<${field}>`), text);
}

type Provenance = Pick<Cassette["provenance"], "recorded_at" | "source">;

/** Returns what a recording says of its run. */
export function recordedPlace({ recorded_at, source }: Provenance): RunPlace {
  const { folder, home, day, temporary } = source;
  const [at, homeAt, on, below] = [folder, home, day, temporary].map((value) => textOrNull(value) ?? undefined);
  return { folder: at, home: homeAt, day: on ?? recordedAtOf({ recorded_at, source })?.slice(0, 10), temporary: below };
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
  { folder: _folder, home: _home, day: _day, temporary: _temporary, sent_at: _sentAt, ...source }: Provenance["source"],
  { body, place = {}, sentAt }: { body: unknown; place?: RunPlace | undefined; sentAt?: string | undefined },
  recordedAt: Date,
): Provenance["source"] {
  const text = JSON.stringify(body);
  const named = patternsOf(place).flatMap(({ pattern, field }) => (text.search(pattern) >= 0 ? [field] : []));
  const isStored = (field: keyof RunPlace) => field !== "day" || place.day !== recordedAt.toISOString().slice(0, 10);
  return {
    ...source,
    ...Object.fromEntries(named.filter(isStored).map((field) => [field, place[field] as string])),
    ...(place.temporary && text.includes(escapeText(place.temporary)) && { temporary: place.temporary }),
    ...(sentAt !== undefined && { sent_at: sentAt }),
  };
}
