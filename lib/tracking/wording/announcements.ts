import table from "./announcements.json" with { type: "json" };
import { type AnnouncementKind, announcementKinds, type Significance } from "./kinds";
import { cutText, maxReadLineLength, plainOf, shownOf, splitSentences } from "./plain-text";

export type Announcement = { kind: AnnouncementKind; sentence: string; isDatedEnd: boolean };

/** Whether it says that something ends or breaks. */
export const isEnd = ({ kind }: Pick<Announcement, "kind">) => kind === "deprecation" || kind === "breaking";

export const judgeAnnouncement = ({ kind, isDatedEnd }: Pick<Announcement, "kind" | "isDatedEnd">): Significance =>
  isDatedEnd ? 5 : announcementKinds[kind].significance;

const month = "(?:jan|febr?|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|ust|ember|ober|tember)?";
const dateSource = `\\b\\d{4}-\\d{2}-\\d{2}(?:\\b|(?=T\\d))|\\b\\d{1,2}/\\d{1,2}/\\d{4}\\b|\\b\\d{1,2}(?:st|nd|rd|th)? (?:of )?${month}\\b(?:,? \\d{4})?|\\b${month} \\d{1,2}(?:st|nd|rd|th)?\\b(?:,? \\d{4})?|\\b${month} \\d{4}\\b`;
export const datePattern = new RegExp(dateSource, "i");
const time = `${dateSource}|\\bq[1-4] \\d{4}\\b|\\b(?:in|from|since|until|by|after|as of|starting in) (?:v|version |[a-z]+ (?:v|(?=\\d+\\.)))\\d|\\bv\\d+ and later\\b|\\b(?:future|next|upcoming|coming) (?:major )?(?:release|version|month|year|quarter|week)\\b|\\bsoon\\b|\\bin (?:spring|summer|autumn|fall|winter)\\b`;

/** Reads alternatives, in which `{time}` and `{date}` stand for those of a time and of a date. */
const read = (alternatives: readonly string[] = []) => {
  const source = alternatives.map((each) => each.replace("{time}", () => time).replace("{date}", () => dateSource));
  return source.length > 0 ? new RegExp(source.join("|"), "i") : undefined;
};

type Entry = { kind: AnnouncementKind; why: string } & Partial<
  Record<"strong" | "weak" | "marker" | "needs", readonly string[]>
>;
/** Patterns that announce a change by themselves (`strong`) or with a marker (`weak`); `needs` must match as well. */
const patterns = (table as Entry[]).map(({ kind, strong, weak, marker, needs }) => {
  return { kind, strong: read(strong), weak: read(weak), marker: read(marker), needs: read(needs) };
});

const endWords = patterns
  .filter(({ kind }) => kind === "deprecation")
  .flatMap(({ strong, weak }) => [strong, weak].filter((words) => words !== undefined))
  .map((words) => new RegExp(words, "gi"));

const denial =
  /\b(?:not|never|isn't|aren't|won't|doesn't|don't|avoid(?:s|ing)?|neither|nor) (?:[\w'-]+ ){0,3}$|\b(?:no|none|without|non|un)\b[- ]?(?:[\w'-]+ )?$|\bno longer $/i;
/** Words that make the following ones the subject of a page rather than an announcement. */
const description =
  /\b(?:how|what|why|whether|avoid\w*|polic(?:y|ies)|detect\w*|handl\w+|announc\w+|list of|guide to|learn about|about|understand\w*|track\w*|notif\w+)\b[^.]{0,80}$/i;
/** Clauses that say which things have ended, or ask whether they have: "which fields are deprecated". With "now" they announce it. */
const endedClause =
  /\b(?:which (?!we |you |they |it )(?:[\w.-]+ ){0,3}|that |(?:whether|if|when|once) (?:[\w.-]+ ){0,5})(?:is|are|was|were|becomes?|has been|have been|(?:it|that|this)['’]s|they['’]re) (?:already )?(?:deprecated|discontinued|sunset|retired|decommissioned|no longer (?:supported|available|maintained))\b/gi;
/** "The deprecated v1 API": what a thing is, which announces nothing about one that the older version does not name. */
const attribute = /\b(?:an?|the|its|our|your|any|all) deprecated ([\w.-]+ [\w-]+)/gi;
const stops =
  /\b(?:remov(?:ed|al)|retire(?:s|d)?|unavailable|shut(?:s|ting)? ?down|(?:shut|switched|turned) off|discontinued|deleted|disabled|stops?|ends?|until|no longer|end[- ]of[- ](?:life|support)|sunset\w*|decommission\w*)\b/i;
const isPast = /\b(?:was|were|has been|have been)\b/i;

const [maxSentenceCount, maxSentenceLength] = [60, 400];

function sentencesOf(plain: string): string[] {
  const sentences = splitSentences(plain).flatMap((sentence) => sentence.split(/\s[—|]\s/));
  return sentences.slice(0, maxSentenceCount).map((sentence) => sentence.slice(0, maxSentenceLength));
}

/** Returns the words of a text without their endings: "supports" is no other word than "support". */
const wordsOf = (text: string) => {
  const words = text.toLowerCase().match(/[\p{L}\p{N}.]*[\p{L}\p{N}]/gu) ?? [];
  return new Set(words.map((word) => word.replace(/(?<=\p{L}{3})(?:e?s|e?d|ing)$/u, "")));
};

/** Whether the matched words, or a date in their sentence, are missing in the lines that it replaces. */
function isFresh(words: string, sentence: string, old: ReadonlySet<string>): boolean {
  return [...wordsOf([words, ...datesIn(sentence)].join(" "))].some((word) => !old.has(word));
}

/** Returns the sentence of a line that contains some words, with the code that was left out to find them. */
function shownSentence(line: string, words: string): string {
  const sentences = sentencesOf(shownOf(line));
  // In the words, each piece of code was replaced with a backtick.
  const parts = words.split("`").map((part) => part.trim());
  const found = sentences.find((sentence) => parts.every((part) => sentence.includes(part))) ?? sentences[0] ?? "";
  const dated = sentences.find((sentence) => datePattern.test(sentence) && stops.test(sentence));
  return !dated || datePattern.test(found) ? cutText(found) : `${cutText(found)} ${cutText(dated)}`;
}

/** Returns what is before some words in their clause: a parenthesis says something of its own. */
const startOf = (sentence: string, { index }: RegExpExecArray) =>
  sentence
    .slice(Math.max(0, index - 100), index)
    .split("(")
    .at(-1)!;

function readSentence(whole: string, line: string, older: string, old: ReadonlySet<string>): Announcement[] {
  const found = new Map<AnnouncementKind, Announcement>();
  const described = whole.replace(attribute, (words, thing) => (older.includes(thing) ? words : " "));
  const announcing = datePattern.test(whole) ? whole : described.replace(endedClause, "");
  for (const { kind, strong, weak, marker, needs } of patterns) {
    const sentence = kind === "deprecation" ? announcing : whole;
    if (needs && !needs.test(sentence)) continue;
    const match = strong?.exec(sentence) ?? (marker?.test(sentence) ? weak?.exec(sentence) : null);
    if (!match || found.has(kind) || !isFresh(match[0], kind === "feature" ? "" : sentence, old)) continue;
    const start = startOf(sentence, match);
    if (denial.test(start) || description.test(start)) continue;
    const text = plainOf(line);
    const isDatedEnd = isEnd({ kind }) && datePattern.test(text) && stops.test(text) && !isPast.test(sentence);
    found.set(kind, { kind, sentence: shownSentence(line, match[0]), isDatedEnd });
  }
  // What breaks or ends is also a change that clients follow.
  if (found.has("breaking") || found.has("deprecation")) found.delete("change");
  return [...found.values()];
}

type Older = {
  /** What the line replaces. */
  replaced: string;
  /** The whole text. */
  text: string;
};

/** Whether a text says of something that it does not end: "no longer deprecated", "will not be removed". */
export const deniesEnd = (text: string): boolean =>
  sentencesOf(plainOf(text.slice(0, maxReadLineLength))).some((sentence) =>
    endWords.some((words) => [...sentence.matchAll(words)].some((match) => denial.test(startOf(sentence, match)))),
  );

/** Returns the ends that a text states, whether they are new or not. */
export const endsIn = (text: string): Announcement[] => announcementsIn(text, { replaced: "", text: "" }).filter(isEnd);

export const datesIn = (text: string): string[] => text.match(new RegExp(dateSource, "gi")) ?? [];

/** Returns what a line of markdown announces beside an older version. */
export function announcementsIn(line: string, older: Older): Announcement[] {
  const old = wordsOf(older.replaced);
  const sentences = sentencesOf(plainOf(line.slice(0, maxReadLineLength)));
  return sentences.flatMap((sentence) => readSentence(sentence, line, older.text, old));
}
