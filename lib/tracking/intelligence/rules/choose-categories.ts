import type { IntelligenceCategory } from "../analysis";
import { changesOnlyCode } from "./facts/extract-code";
import type { Facts } from "./facts/read-facts";
import { isMajor } from "./judge-significance";
import { maxReadLineLength, plainOf, shownOf } from "./text/plain-text";
import type { ReadLine } from "./text/read-lines";
import { datePattern, type SignalKind } from "./text/wording";
import { modelPath, sdkPath, Weights, weighStructure } from "./weigh-structure";

const apiPath = /\b(?:apis?|endpoints?|rest|graphql|reference|errors?|error codes|rate limits?|limits)\b/i;
/** What a deprecation must be about to be a change of the API. */
const apiPart =
  /\b(?:endpoints?|fields?|attributes?|parameters?|params?|propert(?:y|ies)|props?|arguments?|options?|methods?|functions?|hooks?|headers?|operations?|routes?|api|flags?|commands?|variables?)\b|\b(?:GET|POST|PUT|PATCH|DELETE) \//;
const modelName = /^[a-z][\w.]*(?:[- ][\w.]+){0,5}[- ]v?\d+(?:\.\d+)?(?:[- ][a-z]+)?$/i;
/** Titles of guides: `Migrating from acme-2`. */
const taskTitle = /^(?:[A-Z][a-z]+ing|How|Why|Upgrade|Move|Switch)\b/;
/** Code that loads a library. */
const importLine =
  /^\s*(?:from [\w.]+ import\b|import\s+["'](?!\.|@\/)|import\b.*\bfrom ["'](?!\.|\/|@\/)|(?:const|var|let) .*\brequire\(|use [\w\\:]+;)/;
const sdkTitle = /\b(?:sdk|librar(?:y|ies)|driver)\b/i;
const packageVersion = /\b[\w/-]+@\d/;
const clientWord = /\b(?:clients?|sdks?|drivers?|librar(?:y|ies)|cli)\b/i;
const versionOf = (text: string) => /\bv?(\d+\.\d+(?:\.\d+)?)\b/.exec(shownOf(text))?.[1];
const numberWords =
  /\b(?:\d[\d.,]*\w{0,2}|one|two|three|four|five|six|seven|eight|nine|ten|twelve|dozen|hundred|thousand|million)\b/gi;

const leadingName = /^\s{0,8}[-*+] `{0,2}([^:`]{2,60})`{0,2}:/;

/** Returns the subject of a line: its link's title, a table row's first cell, or the text before a colon. */
function titleOf({ links, text }: ReadLine): string {
  const line = text.slice(0, maxReadLineLength);
  const cell = line.trimStart().startsWith("|") ? plainOf(line.split("|")[1] ?? "") : "";
  return links[0]?.title ?? (cell || (leadingName.exec(line)?.[1] ?? ""));
}

const dates = new RegExp(datePattern, "gi");
const numbersOf = (line: ReadLine) =>
  (plainOf(line.text).replace(dates, " ").match(numberWords) ?? []).join(" ").toLowerCase();

/** Whether numbers of an existing line, such as a limit or a default, were replaced by as many others. */
function changesNumber(line: ReadLine): boolean {
  const [old, now] = [line.partner ? numbersOf(line.partner) : "", numbersOf(line)];
  return old !== "" && now !== "" && old !== now && old.split(" ").length === now.split(" ").length;
}

/** Most reworded lines that are read. With more, the text was rewritten, and changed numbers are not meaningful. */
const maxReadRewordedCount = 10;

/** Signals that make changed numbers of the same line redundant. */
const overridingKinds: readonly SignalKind[] = ["advisory", "deprecation", "breaking", "access", "pricing", "fix"];

function weighSignals({ signals, reworded, isAdvisory }: Facts, weights: Weights): void {
  if (isAdvisory) weights.add("security-advisory", 100);
  for (const signal of signals) {
    const { kind, line, isMention } = signal;
    const major = isMajor(signal);
    if (kind === "advisory" && major) weights.add("security-advisory", 100);
    if (kind === "deprecation" && major) weights.add("deprecation", 90);
    if (kind === "deprecation" && major && apiPath.test(line.path)) weights.add("api-change", 45);
    if (kind === "deprecation" && major && apiPart.test(signal.sentence)) weights.add("api-change", 60);
    if ((kind === "breaking" || kind === "access") && major) weights.add("api-change", 85);
    if (isMention && reworded.length > maxReadRewordedCount) continue;
    if (kind === "pricing" && major) weights.add("pricing-change", 80);
    if (kind === "model") weights.add("model-release", 70);
    if (kind === "feature") weights.add("new-feature", 55);
    if (kind === "fix") weights.add("bug-fix", 60);
    if (kind === "available" || kind === "launch") weights.add("new-feature", 57);
    if (kind === "unavailable" || kind === "opened" || kind === "effective") weights.add("api-change", 57);
    if (kind === "sdk") weights.add("sdk-update", 50);
  }
}

function weighValues({ values }: Facts, weights: Weights): void {
  if (values.some(({ kind }) => kind === "package") && values.some(({ kind }) => kind === "call"))
    weights.add("api-change", 65);
  for (const { kind, now, isDocumented } of values) {
    if (isDocumented) weights.add("api-change", 85);
    else if (kind === "price") weights.add("pricing-change", 80);
    else if (kind === "end") weights.add("deprecation", 90);
    else if (kind === "package" || kind === "call") weights.add("sdk-update", 66);
    else if (kind === "version") weights.add("sdk-update", 50);
    else if (kind === "model") weights.add("model-release", 66);
    else weights.add("api-change", now === "" ? 68 : 36);
  }
}

/** Most words of text that come with an example in another language. */
const maxExampleWordCount = 20;

function weighExamples({ examples, words }: Facts, weights: Weights): void {
  if (examples.length === 0) return;
  if (words.gained <= maxExampleWordCount) weights.add("sdk-update", 50);
  weights.add("content-expansion", 45);
}

function weighLines({ lines, reworded, signals, values, outline }: Facts, weights: Weights): void {
  const overridden = new Set(
    signals.filter(({ kind, isMention }) => overridingKinds.includes(kind) && !isMention).map(({ line }) => line),
  );
  for (const { kind, line } of values)
    if (kind === "price" || kind === "end" || kind === "version") overridden.add(line);
  const ended = new Set(signals.filter(({ kind }) => kind === "deprecation").map(({ line }) => line));
  const isNew = ({ partner, isCode }: ReadLine) => !partner && !isCode;
  for (const line of lines.added) {
    const { path, links } = line;
    const title = titleOf(line);
    if (
      isNew(line) &&
      !ended.has(line) &&
      !taskTitle.test(title) &&
      modelPath.test(`${outline.title} ${path}`) &&
      modelName.test(title)
    )
      weights.add("model-release", 72);
    if (isNew(line) && links.length > 0 && (sdkPath.test(path) || sdkTitle.test(title))) weights.add("sdk-update", 48);
    if (isNew(line) && links.length > 0 && /\bapis?\b/i.test(path)) weights.add("api-change", 32);
  }
  for (const line of reworded.length <= maxReadRewordedCount ? reworded : []) {
    const isSdk =
      !line.isCode &&
      (sdkPath.test(line.path) || sdkTitle.test(line.links[0]?.title ?? "") || /\bclient librar/i.test(line.text));
    const isVersion = clientWord.test(line.text) && versionOf(line.text) !== versionOf(line.partner!.text);
    const isImport = line.block !== undefined && importLine.test(line.text) && importLine.test(line.partner!.text);
    if (
      isSdk ||
      isVersion ||
      isImport ||
      (packageVersion.test(line.text) && numbersOf(line) !== numbersOf(line.partner!))
    )
      weights.add("sdk-update", 44);
    else if (!line.isCode && changesNumber(line) && !overridden.has(line)) weights.add("api-change", 36);
  }
}

const wordCount = (lines: readonly ReadLine[]) =>
  lines.reduce((sum, { text }) => sum + (plainOf(text).match(/\S+/g)?.length ?? 0), 0);

/** Smallest growth in words, absolute and as a share, that counts if nothing else determines a category. */
const minGrowth = 5;
const minGrowthShare = 0.1;

/** Weighs lines that replace no other: new or lost words of theirs are no formatting, however few. */
function weighNewLines({ textAdded, proseRemoved, words: { gained, lost } }: Facts, weights: Weights): void {
  const isText = ({ isCode }: ReadLine) => !isCode;
  if (gained > 0 && gained - lost >= Math.min(gained, minGrowth) && textAdded.some(isText))
    weights.add("content-expansion", 1);
  else if (lost > gained && proseRemoved.some(isText)) weights.add("content-reduction", 1);
}

/** Returns the categories of a change: one to `maxCategoryCount`, most relevant first. */
export function chooseCategories(facts: Facts): IntelligenceCategory[] {
  const weights = new Weights();
  if (!facts.isSameContent) {
    weighSignals(facts, weights);
    weighValues(facts, weights);
    weighLines(facts, weights);
    weighExamples(facts, weights);
  }
  weighStructure(facts, weights);
  if (weights.isEmpty && facts.lines.isCut) {
    weights.add(facts.growth < 0 ? "content-reduction" : "content-expansion", 1);
  } else if (weights.isEmpty && changesOnlyCode(facts.lines.removed, facts.lines.added)) {
    weights.add("sdk-update", 1);
  } else if (weights.isEmpty && facts.bounds.length > 0) {
    weights.add("api-change", 1);
  } else if (weights.isEmpty && !facts.isSameContent) {
    const [old, now] = [facts.lines.removed, facts.lines.added].map((lines) =>
      wordCount(lines.filter(({ isMeta }) => !isMeta)),
    ) as [number, number];
    const growth = now - old;
    const enough = Math.max(minGrowth, minGrowthShare * old);
    if (growth >= enough) weights.add("content-expansion", 1);
    if (growth <= -enough) weights.add("content-reduction", 1);
    if (weights.isEmpty) weighNewLines(facts, weights);
  }
  if (weights.isEmpty) weights.add("formatting-only", 1);
  return weights.heaviest();
}
