import { registrableDomain } from "./addresses";
import { type CodeRange, findCode, maskCode } from "./code-ranges";
import { Documentation } from "./documented";
import type { Match } from "./finding";

export type ScannedText = {
  text: string;
  /** The text with code replaced by spaces; everything else keeps its position. */
  prose: string;
  /** The same with inline code. */
  unfenced: string;
  code: readonly CodeRange[];
  documentation: Documentation;
  own: string;
};

/** Finds one kind of harm. Runs in linear time. */
export type Detector = (scanned: ScannedText) => Iterable<Match>;

export function scanText(text: string, domain: string): ScannedText {
  const code = findCode(text);
  const prose = maskCode(text, code);
  const fences = code.filter(({ isFence }) => isFence);
  const documentation = new Documentation(text, prose);
  return { text, prose, unfenced: maskCode(text, fences), code, documentation, own: registrableDomain(domain) };
}
