import { findBase64 } from "../find-base64";
import type { Sighting } from "../finding";
import { excerptOf } from "../finding";
import { type Detector, type ScannedText, scanText } from "../scanned-text";

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
