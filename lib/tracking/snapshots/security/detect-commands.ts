import type { Detector, Match } from "./finding";

const fetchers = /^(?:curl|wget|iwr|invoke-webrequest)$/i;
/** A program that fetches, a pipe into an interpreter, or the end of a command. */
const parts =
  /\b(?:curl|wget|iwr|invoke-webrequest)\b|\|\s{0,4}(?:sudo\s{1,4})?(?:(?:ba|z|da|k)?sh|iex|python3?)\b|\n/gi;
/** Longest distance between the two programs, in UTF-16 code units. */
const maxCommandLength = 400;

/** Finds `curl … | sh`, which runs code that others may change at any time. */
function* detectPipes(text: string): Generator<Match> {
  let fetchedAt = Number.NEGATIVE_INFINITY;
  for (const { index, 0: part } of text.matchAll(parts)) {
    if (part === "\n") {
      // A backslash continues the command on the next line.
      if (text[index - 1] !== "\\") fetchedAt = Number.NEGATIVE_INFINITY;
    } else if (fetchers.test(part)) {
      fetchedAt = index;
    } else if (index - fetchedAt <= maxCommandLength) {
      yield { detector: "piped-shell", family: "commands", points: 1, start: fetchedAt, end: index + part.length };
      fetchedAt = Number.NEGATIVE_INFINITY;
    }
  }
}

/** Commands that give another machine a shell. */
const reverseShell = /\/dev\/tcp\/[\w.$-]{1,100}\/|\bn(?:et)?c(?:at)? -e \/bin\/|\bdup2\(\w{1,20}\.fileno\(\)/g;

/** Finds commands that run what they fetch or open a reverse shell. Includes code, where commands usually are. */
export const detectCommands: Detector = function* ({ text }) {
  yield* detectPipes(text);
  for (const { index, 0: command } of text.matchAll(reverseShell)) {
    yield { detector: "reverse-shell", family: "commands", points: 2, start: index, end: index + command.length };
  }
};
