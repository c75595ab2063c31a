import type { IntelligenceCategory } from "../analysis";
import type { Facts } from "./facts/read-facts";
import { isMajor } from "./judge-significance";
import { plainOf } from "./text/plain-text";
import type { ReadLine } from "./text/read-lines";
import { lastNameOf } from "./text/subject";

/** Most categories per report, and the number from which on a category needs words or facts of its own. */
const [maxCategoryCount, usualCategoryCount] = [4, 2];
const minFurtherWeight = 60;

/** Collects the highest weight of each category. */
export class Weights {
  readonly #weights = new Map<IntelligenceCategory, number>();

  add(category: IntelligenceCategory, weight: number): void {
    this.#weights.set(category, Math.max(weight, this.#weights.get(category) ?? 0));
  }

  get isEmpty(): boolean {
    return this.#weights.size === 0;
  }

  heaviest(): IntelligenceCategory[] {
    const sorted = [...this.#weights].sort(([, a], [, b]) => b - a);
    const isKept = (weight: number, index: number) => index < usualCategoryCount || weight >= minFurtherWeight;
    return sorted
      .filter(([, weight], index) => isKept(weight, index))
      .slice(0, maxCategoryCount)
      .map(([category]) => category);
  }
}

/** Sections on libraries, and on models. */
export const sdkPath = /\b(?:sdks?|librar(?:y|ies)|drivers?|client(?:s| libraries)|packages)\b/i;
export const modelPath = /\bmodels?\b/i;
/** Headings and texts of sections on a model. */
const modelHeading = /^(?=.*[A-Z])(?!v?\d)[\w.+-]+(?: [\w.+-]+){0,3}?[ -]?v?\d[\w.]*\b/;
const modelWords = /\bis (?:our|a|an|the)\b[^.]{0,60}\bmodel\b/i;
/** Titles of pages on an API. */
const apiTitle = /\bapi\b/i;
/** Sections that document existing features rather than new ones. */
const guidePath =
  /\b(?:guides?|tutorials?|cookbooks?|examples?|migrat\w+|moving|faqs?|reference|resources|optional|learn|blog|articles|quick ?starts?|getting started|recipes|case stud\w+|docs|documentation|changelog|support|languages?|community)\b/i;
/** Sections on what to do, or on questions: `Adding packages`, `1. Create a key`, `Why sync data`. */
const taskName = /^\W*(?:\d+[.)] )?(?:[A-Z][a-z]+ing|How|Why|When|What)\b/;
/** Sections that announce other things than features, or answer questions. */
const noFeaturePath =
  /\b(?:pric\w+|plans?|costs?|billing|deprec\w+|retire\w*|sunset|errors?|compliance|security)\b|\?|\d{4}-\d\d-\d\d/i;
/** Most lines of a section that are read to tell what it is about. */
const maxBeginningLineCount = 5;
/** Shortest section on a feature, in UTF-16 code units, and what it says. */
const minFeatureLength = 500;
const featureWords = /\b(?:lets? you|allows?|enables?|you can|supports?|introduc\w+|new)\b/i;

/** Words that a page loses on balance, from which one or two new links are no expansion. */
const minReductionWordCount = 10;

/** Returns the first added lines of text of each section. */
function beginningsOf(added: readonly ReadLine[]): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  for (const { path, text, isCode } of added) {
    const known = texts.get(path) ?? [];
    if (known.length === 0) texts.set(path, known);
    if (!isCode && known.length < maxBeginningLineCount) known.push(text);
  }
  return texts;
}

/** Adds the categories that follow from sections and links. */
export function weighStructure(
  { sections, links, lines, signals, isRestructure, isIndex, outline, growth, words }: Facts,
  weights: Weights,
): void {
  const removed = sections.removed.filter(({ isReal }) => isReal);
  const added = sections.added.filter(({ isReal }) => isReal);
  const texts = beginningsOf(lines.added);
  const textOf = (path: string) => plainOf(texts.get(path)?.join(" ") ?? "");
  const isModel = (path: string) =>
    modelPath.test(`${outline.title} ${path}`) &&
    (modelHeading.test(lastNameOf(path)) || modelWords.test(textOf(path)));
  const isFeature = ({ path, length }: { path: string; length: number }) =>
    !guidePath.test(path) &&
    !noFeaturePath.test(path) &&
    !path.split(" > ").some((name) => taskName.test(name)) &&
    (isIndex || (length >= minFeatureLength && featureWords.test(textOf(path))));
  const isRewritten = removed.length > 0 && (added.length > 0 || growth >= 0);
  if (isRewritten) weights.add("docs-restructure", 63);
  if (removed.length > 0 && growth < 0) weights.add("content-reduction", 75);
  // A section that announces an end is no new content.
  const announced = new Set(signals.filter(isMajor).map(({ line }) => line.path));
  if (added.some(({ path }) => !announced.has(path)) && !(isRewritten && growth < 0))
    weights.add("content-expansion", 65);
  if (added.some(({ path }) => isModel(path))) weights.add("model-release", 66);
  if (added.length > 0 && apiTitle.test(outline.title)) weights.add("api-change", 61);
  if (removed.length === 0 && !guidePath.test(outline.title) && added.some(isFeature)) weights.add("new-feature", 50);
  const changed = [...removed, ...added];
  if (changed.length > 0 && changed.every(({ path }) => sdkPath.test(path) && !taskName.test(lastNameOf(path))))
    weights.add("sdk-update", 50);
  const net = links.added.length - links.lost.length;
  const hasMajor = signals.some(isMajor);
  if (
    (net > 2 && (isIndex || !hasMajor)) ||
    (net > 0 && !hasMajor && words.lost <= words.gained + minReductionWordCount)
  )
    weights.add("content-expansion", net > 2 ? 62 : 40);
  if (net < 0 && !isRestructure) weights.add("content-reduction", net < -2 ? 70 : 40);
  const isSwapped = net === 0 && links.lost.length > 0;
  const isElsewhere = [...sections.added, ...sections.removed].some(({ isReal, isEmpty }) => !isReal && !isEmpty);
  const isRearranged =
    sections.renamed.some(({ isCorrection }) => !isCorrection) ||
    sections.moved.length > 0 ||
    sections.isReordered ||
    lines.hasMoved;
  if (isRestructure) weights.add("docs-restructure", links.relinked.length > 2 ? 64 : 42);
  if (
    !hasMajor &&
    (isRearranged ||
      isElsewhere ||
      isSwapped ||
      links.relinked.length + links.anchored.length > 0 ||
      links.retitled.length > 0)
  ) {
    weights.add("docs-restructure", 38);
  }
}
