import type { Detector, Sighting } from "./finding";

const fetchers = /^(?:curl|wget|iwr|invoke-webrequest)$/i;
/** What fetches, what runs its input, and what ends a command. */
const parts =
  /\b(?:curl|wget|iwr|invoke-webrequest)\b|\|\s{0,4}(?:sudo\s{1,4})?(?:(?:ba|z|da|k)?sh|iex|python3?)\b|\n/gi;
/** Longest command between the two, in UTF-16 code units. */
const maxCommandLength = 400;

/** `curl … | sh`: runs what somebody else may change at any time. */
function* detectPipes(text: string): Generator<Sighting> {
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

/** Commands that hand a shell to another machine. */
const reverseShell = /\/dev\/tcp\/[\w.$-]{1,100}\/|\bn(?:et)?c(?:at)? -e \/bin\/|\bdup2\(\w{1,20}\.fileno\(\)/g;

/** Commands that run what they fetch or give control away; in code too, since that is where commands stand. */
export const detectCommands: Detector = function* ({ text }) {
  yield* detectPipes(text);
  for (const { index, 0: command } of text.matchAll(reverseShell)) {
    yield { detector: "reverse-shell", family: "commands", points: 2, start: index, end: index + command.length };
  }
};
