/** A run of base64 in a text; its lines may be wrapped. */
export type Base64Run = { start: number; end: number };

/** Shortest run that counts, and the shortest line that may go on in the next one, in characters. */
const minRunLength = 200;
const minWrappedLength = 60;
/** Random bytes and encoded text both have more capital and small letters than these shares; paths and words do not. */
const minLetterShare = 0.15;
const minDigitCount = 3;

/** 1 for a capital letter, 2 for a small one, 3 for a digit, 4 for one of `+/-_`, which ends nothing. */
const kinds = new Uint8Array(128);
for (let unit = 65; unit <= 90; unit++) kinds[unit] = 1;
for (let unit = 97; unit <= 122; unit++) kinds[unit] = 2;
for (let unit = 48; unit <= 57; unit++) kinds[unit] = 3;
for (const sign of "+/-_") kinds[sign.charCodeAt(0)] = 4;

function kindAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit < 128 ? kinds[unit]! : 0;
}

/** Where the next line starts if the run's line ends at `at` and the next one goes on with base64, else -1. */
function nextLine(text: string, at: number): number {
  const start = text.startsWith("\r\n", at) ? at + 2 : text[at] === "\n" ? at + 1 : -1;
  return start >= 0 && start < text.length && kindAt(text, start) > 0 ? start : -1;
}

/** Runs of 200 characters of base64 or more, plain or for URLs. Reads every character once. */
export function* findBase64(text: string): Generator<Base64Run> {
  for (let at = 0; at < text.length; at++) {
    if (kindAt(text, at) === 0) continue;
    const start = at;
    const counts = [0, 0, 0, 0, 0];
    let lineStart = at;
    for (;;) {
      for (let kind = kindAt(text, at); kind > 0; kind = at < text.length ? kindAt(text, at) : 0) {
        counts[kind]!++;
        at++;
      }
      const next = at - lineStart >= minWrappedLength ? nextLine(text, at) : -1;
      if (next < 0) break;
      at = next;
      lineStart = next;
    }
    const [, capitals = 0, smalls = 0, digits = 0, signs = 0] = counts;
    const length = capitals + smalls + digits + signs;
    const fewest = minLetterShare * length;
    if (length >= minRunLength && capitals >= fewest && smalls >= fewest && digits >= minDigitCount) {
      yield { start, end: at };
    }
  }
}
