import type { Analysis, Change } from "../analysis";
import { chooseCategories } from "./choose-categories";
import { chooseQuotes } from "./choose-quotes";
import { describeFirstVersion } from "./describe-first-version";
import { blockedScore, judgeSignificance } from "./judge-significance";
import { readFacts } from "./read-facts";
import { listSections } from "./section-lists";
import { writeSummary } from "./write-summary";

/** Of the rules; another one where they would judge the same change otherwise. */
export const rulesVersion = "rules-1";

/** How much larger the newer text is, in per cent of the older one's bytes, with two decimals; 100 if that was empty. */
function byteSizeChangePct(before: string, after: string): number {
  const [old, now] = [Buffer.byteLength(before), Buffer.byteLength(after)];
  if (old === 0) return now === 0 ? 0 : 100;
  return Math.round(((now - old) / old) * 10_000) / 100;
}

/** What is told of a text that attacks its readers: nothing of its own words. */
function describeAttack({ before, after, securityScore }: Change): Analysis {
  return {
    summary: `The text tripped the security score (${securityScore} of 5): it may try to instruct the models that read it. Nothing of it is repeated here.`,
    significance: 5,
    categories: ["security-advisory"],
    ...{ sectionsAdded: [], sectionsRemoved: [], sectionsModified: [], keyQuotes: [] },
    byteSizeChangePct: before === null ? 0 : byteSizeChangePct(before, after),
  };
}

/**
 * Says what a change means by rules alone: the same change always gives the same analysis, in time in proportion to the
 * two texts. Never throws for what they hold.
 */
export function analyseByRules(change: Change): Analysis {
  const { before, after, comparison, securityScore, name } = change;
  if (securityScore >= blockedScore) return describeAttack(change);
  if (before === null || comparison === null) return describeFirstVersion(after, name);
  const facts = readFacts(before, { ...change, comparison });
  return {
    summary: writeSummary(facts),
    significance: judgeSignificance(facts),
    categories: chooseCategories(facts),
    ...listSections(facts),
    keyQuotes: chooseQuotes(facts),
    byteSizeChangePct: byteSizeChangePct(before, after),
  };
}
