import type { Analysis, Change } from "./analysis";
import { analyseByRules, rulesVersion } from "./rules/index";
import type { Subject } from "./store";

/** A report's content, and who wrote it. */
export type Authored = { analysis: Analysis; analyser: "rules" | "model"; analyserVersion: string };

export type ModelRequest = { subject: Subject; change: Change; rules: Analysis; signal: AbortSignal };

/** Asks a model about a change; null where it may not be asked, or gave nothing usable. Never throws for the model's faults. */
export type ModelAnalyser = (request: ModelRequest) => Promise<Omit<Authored, "analyser"> | null>;

/** From this score on a text is not shown to a model. */
const blockedScore = 3;

/** Analyses a change: by the model where there is one and the text may be shown to it, else by the rules. */
export async function analyse(
  subject: Subject,
  change: Change,
  { model, signal }: { model: ModelAnalyser | undefined; signal: AbortSignal },
): Promise<Authored> {
  const rules = analyseByRules(change);
  const mayAsk = model !== undefined && change.before !== null && change.securityScore < blockedScore;
  const answer = mayAsk ? await model({ subject, change, rules, signal }) : null;
  return answer
    ? { ...answer, analyser: "model" }
    : { analysis: rules, analyser: "rules", analyserVersion: rulesVersion };
}

/** What there is to say of a file that is not there any more. */
export function analyseGone(): Authored {
  return {
    analysis: {
      summary: "The file is gone: three fetches in a row were answered with 404 or 410. The last version stays.",
      significance: 5,
      categories: ["content-reduction"],
      ...{ sectionsAdded: [], sectionsRemoved: [], sectionsModified: [], keyQuotes: [] },
      byteSizeChangePct: -100,
    },
    analyser: "rules",
    analyserVersion: rulesVersion,
  };
}
