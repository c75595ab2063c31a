/** Texts that differ from run to run, and what stands for them when requests are matched. */
const known: readonly [RegExp, string][] = [
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?/g, "<time>"],
  [/(?<![0-9a-f-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f-])/gi, "<uuid>"],
  // What Claude Code writes about the day and place where it runs: into system texts or messages, by version.
  [/^Today's date is \d{4}-\d{2}-\d{2}\.?$/gm, "<date>"],
  [/^ - (?:Primary working directory|Platform|Shell|OS Version): .+/gm, "<environment>"],
  [/\bfile-based memory at `[^`\n]+`/g, "<memory>"],
  [
    /This is the git status at the start of the conversation\.[\s\S]{0,10000}?\nRecent commits:(?:\n[0-9a-f]{7,40} .*)*/g,
    "<git status>",
  ],
  // Its first system text has a checksum over an id of its own.
  [/(?<=^x-anthropic-billing-header:[^\n]{0,300}\bcch=)[0-9a-f]{5}(?=;)/g, "<checksum>"],
  // Below these, the first name is made up for one run.
  [
    /(?:\/private)?\/(?:tmp|var\/tmp|var\/folders\/\w{2}\/\w{1,40}\/T)\/(?:pytest-of-[\w.-]{1,60}\/)?[\w.-]{1,100}/g,
    "<temporary>",
  ],
  [/[A-Za-z]:\\Users\\[^\\\s]{1,60}\\AppData\\Local\\Temp\\[\w.-]{1,100}/gi, "<temporary>"],
];

/** Replaces what differs from run to run in the strings of a JSON value; `own` are expressions of the user. */
export function replaceVolatileText(value: unknown, own: readonly RegExp[]): unknown {
  if (typeof value === "string") {
    const text = own.reduce((rest, pattern) => rest.replace(pattern, "<volatile>"), value);
    return known.reduce((rest, [pattern, name]) => rest.replace(pattern, name), text);
  }
  if (Array.isArray(value)) return value.map((item) => replaceVolatileText(item, own));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaceVolatileText(member, own)]));
}
