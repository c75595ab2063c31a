import type { Sighting } from "../finding";
import { matchInstruction } from "../match-instructions";
import type { Detector } from "../scanned-text";
import { visitSentences } from "../sentences";

/** Names and phrases of known jailbreaks, wherever they stand in a sentence. */
const jailbreak = /do anything now|\bDAN mode\b|\bjailbr(?:eak|oken) mode\b|\bAntiGPT\b/gi;

/** Sentences that instruct a model against its user, and phrases of known jailbreaks; in prose alone. */
export const detectInstructions: Detector = ({ prose, domain }) => {
  const sightings: Sighting[] = [];
  visitSentences(prose, (start, end) => {
    const rule = matchInstruction(prose, start, end, domain);
    if (rule) sightings.push({ detector: rule.detector, family: rule.family, points: rule.points, start, end });
  });
  for (const { index, 0: phrase } of prose.matchAll(jailbreak)) {
    const place = { start: index, end: index + phrase.length };
    sightings.push({ detector: "jailbreak-phrase", family: "instructions", points: 2, ...place });
  }
  return sightings;
};
