import { type Detector, excerptOf, type Match, type ScannedText, scanText } from "./finding";
import { followsAttackWords } from "./quotations";

/** A run of base64, whose lines may be wrapped. */
type Base64Run = { start: number; end: number };

/** Shortest run that is decoded, shortest that counts itself, and shortest line that may continue, in characters. */
const minDecodedLength = 32;
const minRunLength = 200;
const minWrappedLength = 60;
/** Encoded data has at least these shares of uppercase and of lowercase letters; paths and words do not. */
const minLetterShare = 0.15;
const minDigitCount = 3;

/** 1 for an uppercase letter, 2 for a lowercase one, 3 for a digit, 4 for `+/-_`; 0 ends a run. */
const kinds = new Uint8Array(128);
for (let unit = 65; unit <= 90; unit++) kinds[unit] = 1;
for (let unit = 97; unit <= 122; unit++) kinds[unit] = 2;
for (let unit = 48; unit <= 57; unit++) kinds[unit] = 3;
for (const sign of "+/-_") kinds[sign.charCodeAt(0)] = 4;

function kindAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit < 128 ? kinds[unit]! : 0;
}

/** Returns the start of the next line if the line ends at `at` and base64 continues on the next one, otherwise -1. */
function nextLine(text: string, at: number): number {
  const start = text.startsWith("\r\n", at) ? at + 2 : text[at] === "\n" ? at + 1 : -1;
  return start >= 0 && start < text.length && kindAt(text, start) > 0 ? start : -1;
}

/** Yields runs of at least 32 characters of base64 or base64url. Reads every character once. */
function* findBase64(text: string): Generator<Base64Run> {
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
    if (
      length >= minDecodedLength &&
      capitals >= fewest &&
      smalls >= fewest &&
      digits >= (length < minRunLength ? 1 : minDigitCount)
    ) {
      yield { start, end: at };
    }
  }
}

/** Most runs that are decoded, and the most bytes decoded of one run and of all runs. */
const maxDecodedRunCount = 1_000;
const maxDecodedRunLength = 64 * 1024;
const maxDecodedLength = 256 * 1024;
/** Share of control and invalid characters above which decoded bytes are not text. */
const maxNonTextShare = 0.05;

/** Bytes that are looked at to recognise UTF-16, and the share of zeros among every second one that Latin letters have. */
const wideSampleLength = 64;
const minZeroShare = 0.9;

function isWide(bytes: Buffer): boolean {
  const high = bytes.subarray(0, wideSampleLength).filter((_, index) => index % 2 === 1);
  return high.length > 1 && high.filter((byte) => byte === 0).length >= minZeroShare * high.length;
}

function readAsText(bytes: Buffer): string | undefined {
  const text = bytes.toString(isWide(bytes) ? "utf16le" : "utf8");
  const nonTextCount = text.match(/(?!\s)\p{Cc}|\ufffd/gu)?.length ?? 0;
  return nonTextCount <= text.length * maxNonTextShare ? text : undefined;
}

/** Decodes a run; undefined if it does not contain text. */
function decode(run: string): string | undefined {
  const characters = run.replace(/\s/g, "").slice(0, Math.ceil((maxDecodedRunLength * 4) / 3));
  return readAsText(Buffer.from(characters, "base64"));
}

/** Yields the matches of `detectors` in a decoded text, at the position of the run. */
function* detectWithin(decoded: ScannedText, detectors: readonly Detector[], range: { start: number; end: number }) {
  for (const detector of detectors) {
    for (const { start, end, ...match } of detector(decoded)) {
      if (match.points > 0) yield { ...match, ...range, excerpt: excerptOf(decoded.text, start, end) };
    }
  }
}

/**
 * Finds runs of 200 characters of base64, in prose and code, because people do not read their content. If a run of at
 * least 32 contains text, the other detectors examine it too, and base64 within it up to `depth` times; not where code
 * follows words about attacks.
 */
export function detectEncoded(detectors: readonly Detector[], depth = 1): Detector {
  const within = depth > 0 ? [...detectors, detectEncoded(detectors, depth - 1)] : detectors;
  return function* ({ text, prose, domain }): Generator<Match> {
    let [runCount, length] = [0, 0];
    for (const { start, end } of findBase64(text)) {
      if (end - start >= minRunLength) yield { detector: "base64", family: "encoded", points: 1, start, end };
      if (runCount++ >= maxDecodedRunCount || length >= maxDecodedLength) continue;
      const decoded = decode(text.slice(start, end));
      length += decoded?.length ?? 0;
      // Documentation of security shows encoded attacks as code.
      if (prose[start] === " " && followsAttackWords(text, start)) continue;
      if (decoded) yield* detectWithin(scanText(decoded, domain), within, { start, end });
    }
  };
}
