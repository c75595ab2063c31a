import type { IntelligenceCategory } from "#lib/tracking/report-categories/index";
import { announcementKinds, plainOf, shownOf, type Weighed } from "#lib/tracking/wording/index";
import { valueKinds } from "./facts/kinds";
import type { Facts } from "./facts/read-facts";
import { isMajor } from "./judge-significance";
import type { ReadLine } from "./text/read-lines";
import { lastNameOf } from "./text/subject";
import { changedWords } from "./text/words";

const [maxCategoryCount, usualCategoryCount] = [4, 2];
const minFurtherWeight = 60;

/** Weight of an interface that loses a name, or breaks clients. */
const lostWeight = 68;

/** What a deprecation must be about to be a change of the API. */
const apiPart =
  /\b(?:endpoints?|fields?|attributes?|param(?:eter)?s?|propert(?:y|ies)|props?|arguments?|options?|methods?|functions?|hooks?|headers?|operations?|routes?|api|flags?|commands?|variables?|transport)\b|\b(?:GET|POST|PUT|PATCH|DELETE) \//i;
const sdkPath = /\b(?:sdks?|librar(?:y|ies)|drivers?|client(?:s| libraries)|packages)\b/i;
const modelPath = /\bmodels?\b/i;
const modelName = /^[a-z][\w.]*(?:[- ][\w.]+){0,5}[- ]v?\d+(?:\.\d+)?(?:[- ][a-z]+)?$/i;
const guidePath =
  /\b(?:guides?|tutorials?|cookbooks?|examples?|migrat\w+|faqs?|reference|resources|optional|learn|blog|articles|quick ?starts?|getting started|recipes|docs|documentation|changelog|support|community|troubleshoot\w*|pric\w+|plans?|costs?|billing|deprec\w+|errors?|issues?|compliance|security)\b|\?|\d{4}-\d\d-\d\d/i;
const taskName = /^\W*(?:\d+[.)] )?(?:[A-Z][a-z]+ing|How|Why|When|What|Step)\b/;
const featureWords = /\b(?:lets? you|allows?|enables?|you can|supports?|introduc\w+|new)\b/i;
const minFeatureWordCount = 60;

function ofSections(facts: Facts): Weighed[] {
  const { sections, links, lines, announcements, outline, words, isIndex } = facts;
  const found: Weighed[] = [];
  const isReal = (section: { isReal: boolean }) => section.isReal;
  const [removed, added] = [sections.removed.filter(isReal), sections.added.filter(isReal)];
  const growth = words.gained - words.lost;
  const net = links.added.length - links.lost.length;
  const major = announcements.filter(isMajor);
  const isRewritten = removed.length > 0 && added.length > 0;
  if (isRewritten) found.push(["docs-restructure", 63]);
  if (removed.length > 0 && (growth < 0 || net < 0)) found.push(["content-reduction", 75]);
  // A section that announces an end is no new content.
  const announced = new Set(major.map(({ line }) => line.path));
  const isNews = ({ path }: { path: string }) => !announced.has(path);
  if (added.some(isNews) && !(isRewritten && growth < 0)) found.push(["content-expansion", 65]);
  const stating = new Set(
    lines.added.filter((line) => !line.isCode && featureWords.test(line.text)).map(({ path }) => path),
  );
  for (const { path, wordCount } of added) {
    const isFeature = isIndex || (wordCount >= minFeatureWordCount && stating.has(path));
    if (removed.length === 0 && isFeature && !guidePath.test(path) && !taskName.test(lastNameOf(path)))
      found.push(["new-feature", 50]);
    if (/\bapi\b/i.test(outline.title)) found.push(["api-change", 61]);
  }
  if (net > 0 && ((major.length === 0 && growth >= -10) || (isIndex && net > 2)))
    found.push(["content-expansion", net > 2 ? 62 : 40]);
  if (net < 0 && !links.isRestructure) found.push(["content-reduction", net < -2 ? 70 : 40]);
  const isElsewhere = [...sections.added, ...sections.removed].some((each) => !each.isReal && !each.isEmpty);
  const isRearranged =
    sections.renamed.length + sections.moved.length + links.relinked.length + links.retitled.length > 0 ||
    (net === 0 && links.lost.length > 0);
  if (links.isRestructure && links.relinked.length > 2) found.push(["docs-restructure", 64]);
  if (major.length === 0 && (isRearranged || sections.isReordered || lines.hasMoved || isElsewhere))
    found.push(["docs-restructure", 38]);
  return found;
}

const numeric =
  /^(?:\d[\d.,]*[kmb]?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|hundred|thousand)\b(?!\S*[./]\d)/i;

function ofLines({ lines, values, announcements, outline, codeLineCount, reworded }: Facts): Weighed[] {
  const ended = new Set(announcements.filter(({ kind }) => kind === "deprecation").map(({ line }) => line));
  const isNew = (line: ReadLine) => !line.partner && !line.isCode && !ended.has(line);
  const found = lines.added.filter(isNew).flatMap(({ links, path, text }): Weighed[] => {
    const title =
      links[0]?.title ??
      plainOf(text)
        .replace(/[:|–—].*/, "")
        .trim();
    const isModel = modelPath.test(`${outline.title} ${path}`) && modelName.test(title);
    const isSdk = links.length > 0 && (sdkPath.test(path) || /\b(?:sdk|librar(?:y|ies)|driver)\b/i.test(title));
    return [...(isModel ? [["model-release", 72] as const] : []), ...(isSdk ? [["sdk-update", 48] as const] : [])];
  });
  const isNumber = ({ text, partner }: ReadLine) => {
    const { old, now } = changedWords(shownOf(partner!.text), shownOf(text));
    return numeric.test(old) && numeric.test(now);
  };
  const isOnSdk = ({ path, text, links }: ReadLine) =>
    sdkPath.test(`${path} ${links[0]?.title ?? ""}`) || /\bsdks?\b|\bclient librar/i.test(text);
  const prose = reworded.slice(0, maxCategoryCount).filter(({ isCode }) => !isCode);
  if (prose.some(isOnSdk)) found.push(["sdk-update", 44]);
  if (values.length === 0 && prose.some(isNumber)) found.push(["api-change", 36]);
  const isOther = ({ isCode, isMeta }: ReadLine) => !isCode && !isMeta;
  const isOnlyCode = values.length === 0 && codeLineCount > 0 && ![...lines.added, ...lines.removed].some(isOther);
  return isOnlyCode ? [...found, ["sdk-update", 20]] : found;
}

const minGrowth = 5;
const minCodeLineCount = 10;

function ofGrowth({ words, textAdded, textRemoved, lines, codeLineCount }: Facts): IntelligenceCategory {
  const isText = ({ isCode }: ReadLine) => !isCode;
  const growth = words.gained - words.lost;
  if (growth >= minGrowth || (growth > 0 && textAdded.some(isText))) return "content-expansion";
  if (growth <= -minGrowth || (growth < 0 && textRemoved.some(isText))) return "content-reduction";
  if (!lines.isCut && codeLineCount < minCodeLineCount) return "formatting-only";
  return textAdded.length >= textRemoved.length ? "content-expansion" : "content-reduction";
}

/** Returns the categories of a change: one to `maxCategoryCount`, most relevant first. */
export function chooseCategories(facts: Facts): IntelligenceCategory[] {
  const { announcements, values, isSameContent } = facts;
  const found = [...ofSections(facts), ...(isSameContent ? [] : ofLines(facts))];
  for (const { kind, sentence } of announcements) {
    found.push(announcementKinds[kind].category);
    if (kind === "deprecation" && apiPart.test(sentence)) found.push(["api-change", 60]);
  }
  for (const { kind, now, isBreaking } of values) {
    const [category, weight] = valueKinds[kind].category;
    found.push([category, category === "api-change" && (now === "" || isBreaking) ? lostWeight : weight]);
  }
  const weights = new Map<IntelligenceCategory, number>();
  for (const [category, weight] of found) weights.set(category, Math.max(weight, weights.get(category) ?? 0));
  const distinct = [...weights].sort(([, a], [, b]) => b - a);
  const kept = distinct.filter(([, weight], index) => index < usualCategoryCount || weight >= minFurtherWeight);
  if (kept.length === 0) return [isSameContent ? "formatting-only" : ofGrowth(facts)];
  return kept.slice(0, maxCategoryCount).map(([category]) => category);
}
