import type { Sighting } from "./finding";
import { maskCode } from "./mask-code";

/** A text as the detectors see it. */
export type ScannedText = {
  text: string;
  /** The text with code blanked out; everything else is at its place. */
  prose: string;
  /** The vendor's domain. */
  domain: string;
};

/** Finds one kind of harm in time in proportion to the text's length. */
export type Detector = (scanned: ScannedText) => Iterable<Sighting>;

export function scanText(text: string, domain: string): ScannedText {
  return { text, prose: maskCode(text), domain };
}

/** Whether a host is the domain or below it. */
export function isOnDomain(host: string, domain: string): boolean {
  const [name, own] = [host.toLowerCase(), domain.toLowerCase()];
  return name === own || name.endsWith(`.${own}`);
}
