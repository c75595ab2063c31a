import type { ReadLine } from "../text/read-lines";
import { lastNameOf } from "../text/subject";
import type { ValueFact } from "./value-fact";

/** Names of languages that code of client libraries is written in, as people write them. */
const languages: ReadonlyMap<string, string> = new Map(
  [
    "Python py python3",
    "JavaScript js jsx node mjs cjs",
    "TypeScript ts tsx",
    "Go golang",
    "Ruby rb",
    "PHP php",
    "Java java",
    "Kotlin kt",
    "Swift swift",
    "C# cs csharp dotnet",
    "Rust rs",
    "Dart dart",
    "Elixir ex exs",
    "Scala scala",
    "Vue vue",
    "Svelte svelte",
    "Astro astro",
  ].flatMap((names) => {
    const [name, ...others] = names.split(" ");
    return [name!, ...others].map((other) => [other.toLowerCase(), name!] as const);
  }),
);

/** Returns the language of a line of code of a client library; undefined for commands, data and text. */
export const languageOf = ({ block }: ReadLine): string | undefined => block && languages.get(block.language);

/** Longest part of a line of code that is read, in UTF-16 code units. */
const maxCodeLength = 500;
const codeOf = ({ text }: ReadLine) => text.slice(0, maxCodeLength);

const call = /(?<![\w$.])(?:new\s+)?([A-Za-z_$][\w$]{0,40}(?:(?:\.|->|::)[A-Za-z_$][\w$]{0,40}){1,5})\s?\(/g;
/** Calls of the languages themselves. */
const ownCall =
  /^(?:console|process|json|math|object|array|promise|fmt|os|system|log|logger|res|req|response|str|self|this|e|err|error)\b/i;

const callsOf = (line: ReadLine) =>
  languageOf(line)
    ? [...codeOf(line).matchAll(call)].map(([, name]) => name!).filter((name) => !ownCall.test(name))
    : [];

const partsOf = (name: string) => name.split(/\.|->|::/);
/** Returns the words of the last name of a call: `create`, `wallet`. */
const verbOf = (name: string) => partsOf(name).at(-1)!.replace(/_/g, "").toLowerCase();

/** Most calls of each version that are compared. */
const maxCallCount = 20;

/** Returns the calls of some lines that the other version does not have, with a line of each. */
function onlyCalls(lines: readonly ReadLine[], isInOther: (value: string) => boolean): Map<string, ReadLine> {
  const found = new Map<string, ReadLine>();
  for (const line of lines) {
    for (const name of callsOf(line)) if (found.size < maxCallCount && !found.has(name)) found.set(name, line);
  }
  return new Map([...found].filter(([name]) => !isInOther(`${name}(`)));
}

/** Returns the calls that others with the same verb replace in code: `api.createWallet` by `api.wallets.create`. */
export function readCalls(
  removed: readonly ReadLine[],
  added: readonly ReadLine[],
  isIn: { before: (value: string) => boolean; after: (value: string) => boolean },
): ValueFact[] {
  const gone = onlyCalls(
    removed.filter(({ block }) => block),
    isIn.after,
  );
  if (gone.size === 0) return [];
  const come = onlyCalls(
    added.filter(({ block }) => block),
    isIn.before,
  );
  const facts: ValueFact[] = [];
  for (const [now, line] of come) {
    const same = [...gone].find(([old, { path }]) => verbOf(old) === verbOf(now) && path === line.path);
    const old = same ?? (gone.size === 1 && come.size === 1 ? [...gone][0] : undefined);
    // Another variable is no other call.
    if (!old || partsOf(old[0]).slice(1).join(".") === partsOf(now).slice(1).join(".")) continue;
    gone.delete(old[0]);
    facts.push({ kind: "call", line, subject: lastNameOf(line.path), old: old[0], now });
  }
  return facts;
}

const isData = ({ block }: ReadLine) => block !== undefined && /^json[5c]?$/.test(block.language);
const fieldPattern = /^\s*"([A-Za-z_][\w-]{0,60})"\s*:/;
const fieldOf = (line: ReadLine) =>
  isData(line) && !line.block!.isWhole ? fieldPattern.exec(codeOf(line))?.[1] : undefined;

/** Returns the fields that an example of data renames, adds or no longer has. */
export function readFields(
  removed: readonly ReadLine[],
  added: readonly ReadLine[],
  isInNewer: (value: string) => boolean,
): ValueFact[] {
  const fact = (line: ReadLine, old: string, now: string): ValueFact => ({
    kind: "field",
    line,
    subject: lastNameOf(line.path),
    old,
    now,
  });
  const namesOf = (lines: readonly ReadLine[]) => new Set(lines.map(fieldOf));
  const [olds, nows] = [namesOf(removed), namesOf(added)];
  const come = added.flatMap((line) => {
    const name = fieldOf(line);
    const old = line.partner && fieldOf(line.partner);
    if (!name || olds.has(name)) return [];
    return [fact(line, old && !nows.has(old) ? old : "", name)];
  });
  const renamed = new Set(come.map(({ old }) => old));
  const gone = removed.flatMap((line) => {
    const name = fieldOf(line);
    return name && !nows.has(name) && !renamed.has(name) && !isInNewer(name) ? [fact(line, name, "")] : [];
  });
  return [...come, ...gone];
}

/** A new block of client code: its language as people write it, its section and its number of lines. */
export type Example = { language: string; path: string; count: number };

/** Fewest lines of an example. */
const minExampleLineCount = 4;

/** Returns the new examples, at most one for each section and language. */
export function readExamples(added: readonly ReadLine[], isNewSection: (path: string) => boolean): Example[] {
  const counts = new Map<string, Example>();
  for (const line of added) {
    const language = languageOf(line);
    if (!language || !line.block!.isWhole || line.partner || isNewSection(line.path)) continue;
    const key = `${language}\n${line.path}`;
    const known = counts.get(key) ?? { language, path: line.path, count: 0 };
    if (known.count === 0) counts.set(key, known);
    known.count++;
  }
  return [...counts.values()].filter(({ count }) => count >= minExampleLineCount);
}

const literalOrComment = /(["'`])(?:\\.|(?!\1).)*\1|(?:\/\/|#).*$/g;

const fenceMark = /^\s*(?:`{3}|~{3})/;

/** Returns the names in the code of client libraries, without the texts and comments in it. */
const namesIn = (lines: readonly ReadLine[]) =>
  lines
    .filter((line) => languageOf(line) && !fenceMark.test(line.text))
    .flatMap(
      (line) =>
        codeOf(line)
          .replace(literalOrComment, " ")
          .match(/[A-Za-z_$][\w$]*/g) ?? [],
    )
    .sort()
    .join(" ");

/** Whether only code of client libraries changes, and uses other names than before. */
export function changesOnlyCode(removed: readonly ReadLine[], added: readonly ReadLine[]): boolean {
  const isOther = (line: ReadLine) => !line.isMeta && languageOf(line) === undefined;
  return !removed.some(isOther) && !added.some(isOther) && namesIn(removed) !== namesIn(added);
}
