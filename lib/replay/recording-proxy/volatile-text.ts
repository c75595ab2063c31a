import { type RunPlace, replacePlace, temporaryPattern } from "./run-place";

/** Milliseconds, or seconds with a fraction, since 1970, in the years from 2020 to 2033; not as a part of a hexadecimal number. */
const time = /(?<!\d[a-f]{0,32}|\.)1[6-9]\d{8}(?:\d{3}(?:\.\d{1,9})?|\.\d{1,9})(?![a-f]{0,32}\d|\.\d)/gi;
export const uuid = /(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])/gi;
const month = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}";
const clock = String.raw`\d{1,2}:\d{2}(?::\d{2})?(?: ?[AP]M\b)?`;
const times = new RegExp(
  [
    time.source,
    String.raw`\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?`,
    // As Amazon and Google sign URLs.
    String.raw`(?<![0-9a-z])20\d{6}T\d{6}Z(?![0-9a-z])`,
    // As of RFC 2822, C, JavaScript and prose.
    String.raw`\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?(?:(?:\d{1,2} ${month}|${month} \d{1,2},?) \d{4},?(?: at)? ${clock}|${month} {1,2}\d{1,2} ${clock} \d{4})(?: ?(?:GMT|UTC|Z)?[+-]\d{2}:?\d{2}\b| ?(?:GMT|UTC|Z)\b)?`,
  ].join("|"),
  "gi",
);
/** Texts that differ from run to run, and what stands for them when requests are matched. */
const known: readonly [RegExp, string][] = [
  [uuid, "<uuid>"],
  // What the Claude Agent SDK writes into its first system text, over an id of its own.
  [/(?<=^x-anthropic-billing-header:[^\n]{0,300}\bcch=)[0-9a-f]{5}(?=;)/g, "<checksum>"],
];

/** The texts of requests that Claude Code writes itself contain one of these. */
const ofClaudeCode = /<system-reminder>|You have been invoked in the following environment:/;
/** What such texts say of the machine and of git. Which text says what depends on the version of Claude Code. */
const knownOfClaudeCode: typeof known = [
  [/^ - (?:Platform|Shell|OS Version): .+/gm, "<environment>"],
  [
    /This is the git status at the start(?:(?!This is the git status)[\s\S]){0,10000}?\nRecent commits:(?:\n[0-9a-f]{7,40} .*)*/g,
    "<git status>",
  ],
];

/** Replaces what the expressions of the user find; a time of which one finds a part as a whole. */
function replaceOwn(text: string, own: readonly RegExp[]): string {
  if (own.length === 0) return text;
  const found = own.flatMap((pattern) =>
    Array.from(text.matchAll(pattern), ({ 0: { length }, index }) => ({ start: index, end: index + length })),
  );
  found.sort((a, b) => a.start - b.start);
  let next = 0;
  const whole = text.replace(times, (part, index: number) => {
    const end = index + part.length;
    let isInside = false;
    for (let at = found[next]; at && at.start < end; at = found[++next])
      isInside ||= at.start >= index && at.end <= end;
    return isInside ? "<volatile>" : part;
  });
  return own.reduce((rest, pattern) => rest.replace(pattern, "<volatile>"), whole);
}

/**
 * Replaces what differs from run to run in the strings and numbers of a JSON value; `own` are expressions of the user. With
 * `place`, the folder, the home directory and the day of this run are replaced too. With `isInput`, all of a text decides the
 * answer but what `own` finds and these paths. Adds the times to `found`, by the names of members.
 */
export function replaceVolatileText(
  value: unknown,
  own: readonly RegExp[],
  place?: RunPlace,
  isInput = false,
  found?: string[],
): unknown {
  if (typeof value === "string") {
    const steady = replaceOwn(value, own);
    const text = place ? replacePlace(steady, isInput ? { ...place, day: undefined } : place) : steady;
    if (isInput) return text;
    const timeless = text.replace(times, (part) => {
      found?.push(part);
      return "<time>";
    });
    const patterns = ofClaudeCode.test(text) ? [...known, ...knownOfClaudeCode] : known;
    const steadied = patterns.reduce((rest, [pattern, name]) => rest.replace(pattern, name), timeless);
    return steadied.replace(temporaryPattern(place), "<temporary>");
  }
  if (typeof value === "number") {
    if (isInput || `${value}`.replace(time, "") !== "") return value;
    found?.push(`${value}`);
    return "<time>";
  }
  if (Array.isArray(value)) return value.map((item) => replaceVolatileText(item, own, place, isInput, found));
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value);
  if (found) members.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    members.map(([name, member]) => [name, replaceVolatileText(member, own, place, isInput, found)]),
  );
}

/**
 * Replaces what differs from run to run in the values of a query, whose order does not count; also when a signed URL expires.
 * Adds the times to `found`.
 */
export function replaceVolatileQuery(query: string, own: readonly RegExp[], found?: string[]): string {
  if (query === "") return query;
  const parameters = new URLSearchParams(query);
  parameters.sort();
  const replaced = [...parameters].map(([name, value]) => {
    const isExpiry = /^expires$/i.test(name) && /^1[6-9]\d{8}$/.test(value);
    if (isExpiry) found?.push(value);
    return [name, isExpiry ? "<time>" : String(replaceVolatileText(value, own, undefined, false, found))];
  });
  return new URLSearchParams(replaced).toString();
}
