import table from "./wordings.json" with { type: "json" };

export type SignalKind =
  | "advisory"
  | "deprecation"
  | "breaking"
  | "access"
  | "pricing"
  | "model"
  | "launch"
  | "feature"
  | "fix"
  | "sdk"
  | "available"
  | "unavailable"
  | "opened"
  | "effective";

/**
 * Patterns that announce a change by themselves (`strong`), and patterns that do so only together with a time, a version
 * or a word of change (`weak` with `marker`), because documentation often describes removals and requirements. `needs` must
 * match as well.
 */
type Wording = { kind: SignalKind; strong?: RegExp; weak?: RegExp; marker?: RegExp; needs?: RegExp };

type WordingEntry = { kind: SignalKind; why: string } & { [key in Exclude<keyof Wording, "kind">]?: readonly string[] };

const month = "(?:jan|febr?|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|ust|ember|ober|tember)?";
const dateSource = `\\b\\d{4}-\\d{2}-\\d{2}\\b|\\b\\d{1,2}(?:st|nd|rd|th)? (?:of )?${month}\\b(?:,? \\d{4})?|\\b${month} \\d{1,2}(?:st|nd|rd|th)?\\b(?:,? \\d{4})?|\\b${month} \\d{4}\\b`;
export const datePattern = new RegExp(dateSource, "i");

/** Words that refer to a time or a future version. */
const time = `${dateSource}|\\bq[1-4] \\d{4}\\b|\\b(?:in|from|since|until|by|after|as of) (?:v|version )\\d|\\bv\\d+ and later\\b|\\b(?:future|next|upcoming|coming) (?:major )?(?:release|version|month|year|quarter|week)\\b|\\bsoon\\b|\\bin (?:spring|summer|autumn|fall|winter)\\b`;

/** Alternatives of a pattern; `{time}` and `{date}` stand for those of a time and of a date. */
const either = (alternatives?: readonly string[]) =>
  alternatives &&
  new RegExp(
    alternatives
      .join("|")
      .replaceAll("{time}", () => time)
      .replaceAll("{date}", () => dateSource),
    "i",
  );

/** Patterns of each kind of signal, applied to one sentence without code and URLs. */
export const wordings: readonly Wording[] = (table as readonly WordingEntry[]).map((entry) => ({
  kind: entry.kind,
  strong: either(entry.strong),
  weak: either(entry.weak),
  marker: either(entry.marker),
  needs: either(entry.needs),
}));

/** Negations before the matched words: up to three words before, or for `no` and `without` up to one word before. */
export const denial =
  /\b(?:not|never|isn't|aren't|won't|doesn't|don't|avoid(?:s|ing)?|neither|nor) (?:[\w'-]+ ){0,3}$|\b(?:no|none|without|non|un)\b[- ]?(?:[\w'-]+ )?$|\bno longer $/i;
/** Words that make the following ones the subject of a page rather than an announcement. */
export const description =
  /\b(?:how|what|why|whether|avoid\w*|polic(?:y|ies)|detect\w*|handl\w+|announc\w+|list of|guide to|learn about|about|understand\w*|track\w*|notif\w+)\b[^.]{0,80}$/i;
/** Clauses that say which things have ended, or ask whether they have: "which fields are deprecated". With "now" they announce it. */
export const endedClause =
  /\b(?:which (?!we |you |they |it )(?:[\w.-]+ ){0,3}|that |(?:whether|if|when|once) (?:[\w.-]+ ){0,5})(?:is|are|was|were|has been|have been|(?:it|that|this)['’]s|they['’]re) (?:already )?(?:deprecated|discontinued|sunset|retired|decommissioned|no longer (?:supported|available|maintained))\b/gi;
/** Statements that nothing changes. */
export const constancy =
  /\b(?:same price|prices? (?:stays?|remains?)|unchanged|remains? (?:free|the same)|stays? (?:free|the same)|no change|(?:have|has|will|do|does|did) not (?:been )?(?:chang|increas|ris|go)\w*)\b/i;
