import { excerptOf, type Match } from "./finding";
import { type Detector, scanText } from "./scanned-text";

const [minDecodedLength, minRunLength] = [32, 200];
/** A run of base64 or base64url, which may be wrapped into lines of at least 60 characters. */
const run = new RegExp(
  String.raw`(?<![\w+/-])(?=${"[\\w+/-]".repeat(minDecodedLength)})(?:[\w+/-]{60,65536}\r?\n){0,2000}[\w+/-]{1,65536}(?<=[\w+/-]{${minDecodedLength}}|\n[\w+/-]{1,${minDecodedLength}})`,
  "g",
);
/** Encoded data has at least these shares of uppercase and of lowercase letters; paths and words do not. */
const minLetterShare = 0.15;
const minDigitCount = 3;

function isEncoded(text: string): boolean {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const fewest = minLetterShare * text.length;
  if (text.length < minDecodedLength || count(/[A-Z]/g) < fewest || count(/[a-z]/g) < fewest) return false;
  return count(/\d/g) >= (text.length < minRunLength ? 1 : minDigitCount);
}

const maxDecodedRunCount = 1_000;
const maxDecodedRunLength = 64 * 1024;
const maxDecodedLength = 256 * 1024;
const maxNonTextShare = 0.05;

function decode(encoded: string): string | undefined {
  const characters = encoded.replace(/\s/g, "").slice(0, Math.ceil((maxDecodedRunLength * 4) / 3));
  const text = Buffer.from(characters, "base64").toString();
  const nonTextCount = text.match(/(?!\s)\p{Cc}|\ufffd/gu)?.length ?? 0;
  return nonTextCount <= text.length * maxNonTextShare ? text : undefined;
}

/**
 * Finds runs of 200 characters of base64, in prose and code, because people do not read their content. If a run of at
 * least 32 contains text, the other detectors examine it too, and base64 within it up to `depth` times; not where code
 * follows words about attacks.
 */
export function detectEncoded(detectors: readonly Detector[], depth = 1): Detector {
  const within = depth > 0 ? [...detectors, detectEncoded(detectors, depth - 1)] : detectors;
  return function* ({ text, prose, own, documentation }): Generator<Match> {
    let [runCount, length] = [0, 0];
    for (const { index: start, 0: found } of text.matchAll(run)) {
      if (!isEncoded(found)) continue;
      const range = { start, end: start + found.length };
      if (found.length >= minRunLength) yield { detector: "base64", points: 1, ...range };
      if (runCount++ >= maxDecodedRunCount || length >= maxDecodedLength) continue;
      const decoded = decode(found);
      length += decoded?.length ?? 0;
      // Documentation of security shows encoded attacks as code.
      if (!decoded || (prose[start] === " " && documentation.isExample(range))) continue;
      const scanned = scanText(decoded, own);
      for (const detector of within)
        for (const { start: from, end: to, ...match } of detector(scanned))
          if (match.points > 0) yield { ...match, ...range, excerpt: excerptOf(decoded, from, to) };
    }
  };
}
