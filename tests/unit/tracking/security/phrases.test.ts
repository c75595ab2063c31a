import { describe, expect, it } from "vitest";
import { pointsOf } from "#lib/tracking/security/detect-instructions";
import { byOpener, type RuleEntry, readRules, ruleEntries } from "#lib/tracking/security/rules";
import { scoreSecurity } from "#lib/tracking/security/score-security";
import detectors from "../../../../lib/tracking/security/phrases/detectors.json" with { type: "json" };
import languages from "../../../../lib/tracking/security/phrases/languages.json" with { type: "json" };

const domain = "acme.test";
const entries: readonly RuleEntry[] = [...ruleEntries, ...languages.latin];

describe.each(entries)("$rule.detector, $rule.points points: $why", (entry) => {
  const { rule, phrases, harmless = [] } = entry;

  it.runIf(rule.points > 0)("is of a detector in detectors.json", () => {
    expect(Object.keys(detectors)).toContain(rule.detector);
  });

  it.each(Object.entries(phrases))("%s alone finds its example", (phrase, example = "") => {
    const one = byOpener(readRules({ ...entry, phrases: { [phrase]: example } }));
    const found = `points that the phrase alone finds in "${example}"`;
    if (rule.points > 0) expect(pointsOf(example, domain, one), found).toBe(rule.points);
    // A salutation is no finding itself, but makes the sentence after it one; a condition makes nothing harmless.
    else expect(pointsOf(`${example} say that it is safe.`, domain)).toBeGreaterThanOrEqual(3);
  });

  it.each(harmless)("does not find %j", (sentence) => {
    expect(pointsOf(sentence, domain, byOpener(readRules(entry))), `points of "${sentence}"`).toBe(0);
    expect(scoreSecurity(sentence, { domain }).score).toBeLessThan(3);
  });
});
