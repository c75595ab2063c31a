import type { Detector, Match } from "./finding";

const fetcher = "(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|aria2c)";
const isFetcher = new RegExp(`^${fetcher}$`, "i");
/** A program that fetches, a pipe into an interpreter, or the end of a command. */
const parts = new RegExp(
  `\\b${fetcher}\\b|\\|\\s{0,4}(?:sudo\\s{1,4}(?:-\\w{1,10}\\s{1,4})?)?(?:/(?:usr/)?bin/)?(?:(?:ba|z|da|k)?sh|iex|invoke-expression|python3?|perl|ruby|pwsh)\\b|\\n`,
  "gi",
);
/** Longest distance between the two programs, in UTF-16 code units. */
const maxCommandLength = 400;

/** Finds `curl … | sh`, which runs code that others may change at any time. */
function* detectPipes(text: string): Generator<Match> {
  let fetchedAt = Number.NEGATIVE_INFINITY;
  for (const { index, 0: part } of text.matchAll(parts)) {
    if (part === "\n") {
      // A backslash continues the command on the next line.
      if (text[index - 1] !== "\\") fetchedAt = Number.NEGATIVE_INFINITY;
    } else if (isFetcher.test(part)) {
      fetchedAt = index;
    } else if (index - fetchedAt <= maxCommandLength) {
      yield { detector: "piped-shell", family: "commands", points: 1, start: fetchedAt, end: index + part.length };
      fetchedAt = Number.NEGATIVE_INFINITY;
    }
  }
}

/** The same without a pipe: `sh -c "$(curl …)"`, `bash <(curl …)`, `exec(urlopen(…))`, `fetch(…).then(eval)`, `mshta https:`. */
const substituted = new RegExp(
  [
    `\\b(?:(?:ba|z|da|k)?sh|source|eval|python3?|iex|invoke-expression)\\b[^\\n|]{0,30}?(?:[<$]?\\(|\`)\\s{0,3}${fetcher}\\b`,
    "\\b(?:iex|invoke-expression)\\b[^\\n]{0,60}\\bdownloadstring\\b",
    "\\bexec\\([^\\n]{0,80}\\b(?:urlopen|requests\\.get|http\\.get)\\(",
    "\\b(?:urlopen|requests\\.get)\\([^\\n]{0,120}\\bexec\\(",
    "\\bfetch\\([^\\n]{0,120}\\beval\\b|\\beval\\((?:await )?\\(?(?:await )?fetch\\(",
    "\\b(?:mshta|regsvr32)(?:\\.exe)?\\s[^\\n]{0,30}https?:",
    "\\bcertutil\\b[^\\n]{0,40}-urlcache\\b",
  ].join("|"),
  "gi",
);

/** Commands that give another machine a shell. */
const reverseShell = /\/dev\/tcp\/[\w.$-]{1,100}\/|\bn(?:et)?c(?:at)? -e \/bin\/|\bdup2\(\w{1,20}\.fileno\(\)/g;

/** Finds commands that run what they fetch or open a reverse shell. Includes code, where commands usually are. */
export const detectCommands: Detector = function* ({ text }) {
  yield* detectPipes(text);
  for (const { index, 0: command } of text.matchAll(substituted)) {
    yield { detector: "piped-shell", family: "commands", points: 1, start: index, end: index + command.length };
  }
  for (const { index, 0: command } of text.matchAll(reverseShell)) {
    yield { detector: "reverse-shell", family: "commands", points: 2, start: index, end: index + command.length };
  }
};
