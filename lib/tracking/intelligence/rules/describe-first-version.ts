import type { Analysis } from "../analysis";
import { isShowable, quoteOf } from "./choose-quotes";
import { countLinks } from "./line-links";
import { outlineOf } from "./outline";
import { counted, listNames } from "./plain-text";
import { boundedPaths } from "./section-lists";
import { joinSentences } from "./summary-text";

/** How far the line is looked for with which a file introduces itself, in UTF-16 code units. */
const maxIntroductionLength = 20_000;

/** The quoted line below the title, by which an `llms.txt` says what it is about. */
function introductionOf(text: string): string[] {
  const line = /^> ?\S.*$/m.exec(text.slice(0, maxIntroductionLength))?.[0];
  return line ? [quoteOf(line)] : [];
}

/** What a file offers that was not known before: nothing changed, so its significance is 1. */
export function describeFirstVersion(text: string, vendorName: string): Analysis {
  const { sections } = outlineOf(text);
  const paths = boundedPaths(sections.map(({ path }) => path));
  const tops = paths.filter((path) => !path.includes(" > "));
  const linkCount = countLinks(text);
  const named = tops.length > 0 ? `${counted(tops.length, "section")} (${listNames(tops, 5)})` : "no sections";
  const quotes = introductionOf(text).filter(isShowable);
  return {
    summary: joinSentences([`First version of ${vendorName}'s file: ${named} and ${counted(linkCount, "link")}.`]),
    significance: 1,
    categories: ["content-expansion"],
    ...{ sectionsAdded: paths, sectionsRemoved: [], sectionsModified: [], keyQuotes: quotes },
    byteSizeChangePct: 0,
  };
}
