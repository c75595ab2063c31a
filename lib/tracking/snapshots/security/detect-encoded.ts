import { type Detector, excerptOf, type ScannedText, type Sighting, scanText } from "./finding";

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

/** Most runs that are decoded, and most of each and of all that is decoded, in bytes. */
const maxDecodedRunCount = 100;
const maxDecodedRunLength = 64 * 1024;
const maxDecodedLength = 256 * 1024;
/** Share of characters that are no text from which on decoded bytes are not read as such. */
const maxStrangeShare = 0.05;

function readAsText(bytes: Buffer): string | undefined {
  const isWide = bytes.length > 3 && bytes[1] === 0 && bytes[3] === 0;
  const text = bytes.toString(isWide ? "utf16le" : "utf8");
  const strange = text.match(/(?!\s)\p{Cc}|\ufffd/gu)?.length ?? 0;
  return strange <= text.length * maxStrangeShare ? text : undefined;
}

/** What the run holds, where that is text. */
function decode(run: string): string | undefined {
  const characters = run.replace(/\s/g, "").slice(0, Math.ceil((maxDecodedRunLength * 4) / 3));
  return readAsText(Buffer.from(characters, "base64"));
}

/** What `detectors` see in a decoded text, as sightings at the run's place. */
function* detectWithin(decoded: ScannedText, detectors: readonly Detector[], place: { start: number; end: number }) {
  for (const detector of detectors) {
    for (const { start, end, ...sighting } of detector(decoded)) {
      if (sighting.points > 0) yield { ...sighting, ...place, excerpt: excerptOf(decoded.text, start, end) };
    }
  }
}

/**
 * Long runs of base64, whose content nobody reads; in prose and code alike. Where they hold text, the other detectors
 * look at it too, once: base64 within base64 is not decoded.
 */
export function detectEncoded(detectors: readonly Detector[]): Detector {
  return function* ({ text, domain }): Generator<Sighting> {
    let [runCount, length] = [0, 0];
    for (const { start, end } of findBase64(text)) {
      yield { detector: "base64", family: "encoded", points: 1, start, end };
      if (runCount++ >= maxDecodedRunCount || length >= maxDecodedLength) continue;
      const decoded = decode(text.slice(start, end));
      length += decoded?.length ?? 0;
      if (decoded) yield* detectWithin(scanText(decoded, domain), detectors, { start, end });
    }
  };
}
