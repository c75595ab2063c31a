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
 * or a word of change (`weak` with `marker`), because documentation often describes removals and requirements.
 */
type Wording = { kind: SignalKind; strong?: RegExp; weak?: RegExp; marker?: RegExp; needs?: RegExp };

const month = "(?:jan|febr?|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|ust|ember|ober|tember)?";
const dateSource = `\\b\\d{4}-\\d{2}-\\d{2}\\b|\\b\\d{1,2}(?:st|nd|rd|th)? (?:of )?${month}\\b(?:,? \\d{4})?|\\b${month} \\d{1,2}(?:st|nd|rd|th)?\\b(?:,? \\d{4})?|\\b${month} \\d{4}\\b`;
export const datePattern = new RegExp(dateSource, "i");

/** Words that refer to a time or a future version. */
const time = `${dateSource}|\\bq[1-4] \\d{4}\\b|\\b(?:in|from|since|until|by|after|as of) (?:v|version )\\d|\\bv\\d+ and later\\b|\\b(?:future|next|upcoming|coming) (?:major )?(?:release|version|month|year|quarter|week)\\b|\\bsoon\\b|\\bin (?:spring|summer|autumn|fall|winter)\\b`;
const timeMarker = new RegExp(time, "i");
const changeMarker = new RegExp(`${time}|\\bnow\\b|\\bno longer\\b|\\bfrom now on\\b|\\binstead of\\b`, "i");

const accessNoun =
  /\b(?:authenticat\w*|authoriz\w*|api keys?|access keys?|keys?|tokens?|bearer|oauth2?|oidc|sso|saml|mtls|passwords?|passkeys?|sign(?:ing)?[- ]?in|log[- ]?ins?|credentials?|scopes?|signatures?|unsigned|secrets?|2fa|mfa|jwts?)\b/i;
/** Patterns of each kind of signal, applied to one sentence without code and URLs. */
export const wordings: readonly Wording[] = [
  {
    kind: "advisory",
    strong:
      /\bcve-\d{4}-\d{3,}\b|\bsecurity (?:advisory|bulletin|incident)\b(?=[ ,:]{1,2}(?:\d|\w+ \d|for\b|on\b|about\b))|\bdata breach\b/i,
    weak: /\b(?:leaked|exposed)\b|\bin plain ?text\b|\brotate (?:your|all|any) (?:\w+ ){0,2}(?:keys?|tokens?|secrets?|credentials?|passwords?)\b|\bvulnerabilit(?:y|ies)\b|\bcompromised\b|\bsecurity (?:fix|patch|hole|flaw|issue)(?:es)?\b/i,
    marker: new RegExp(
      `${time}|\\b(?:found|fixed|patched|disclosed|affects?|affected|critical|immediately|at once|leak(?:ed|s)?|upgrade (?:now|at once|to)|before \\d)\\b`,
      "i",
    ),
  },
  {
    kind: "deprecation",
    strong:
      /\b(?:deprecated|deprecates?|deprecating)\b|\bsunset(?:s|ted|ting)?\b|\bend[- ]of[- ](?:life|support)\b|\beol\b|\bno longer (?:be )?(?:supported|available|maintained|offered|accepted|updated|served|serves?|supports?|offers?|maintains?|accepts?)\b|\bdiscontinu(?:ed?|es|ing)\b|\bphas(?:ed?|es|ing) out\b|\bdecommission(?:ed|ing)\b/i,
    weak: /\b(?:deprecations?|retir(?:ed?|es|ing)|shut(?:s|ting)? ?down|(?:be|is|are) (?:removed|withdrawn|switched off|turned off|shut off)|stop(?:s|ped)? (?:work|support|accept)\w*|(?:answers?|works?|served|supported|accepted) (?:only )?until|then (?:returns?|answers?) 4\d\d|(?:ends?|ending|closes?|closing|removal))\b/i,
    marker: timeMarker,
  },
  {
    kind: "breaking",
    strong:
      /\bbreaking(?: api)? changes?\b|\bbreaking:|\bbackwards?[- ]incompatib\w+|\bnot (?:be )?backwards?[- ]compatible\b|\b(?:is|are) now\b[^.]{0,60}\binstead of\b|\bincompatible with (?:earlier|previous|older|version)\b/i,
    weak: /\b(?:renamed|rejected|refused|required|requires|mandatory|must (?:now|migrate|upgrade|update|switch|move)|(?:is|are) gone|replaced by|answers? 4\d\d|fails? with)\b/i,
    marker: new RegExp(
      `${dateSource}|\\b(?:in|from|since|as of) (?:v|version )\\d|\\bnow (?:required|requires|mandatory|rejected|refused|fails?|answers?|must|returns?)|\\bmust now\\b|\\b(?:is|are|was|were|has been|have been) (?:renamed|gone)\\b|\\brenamed to\\b`,
      "i",
    ),
  },
  {
    kind: "breaking",
    weak: /\b(?:limits?|quotas?) (?:(?:will|are|is|be|to) ){1,2}(?:chang|decreas|reduc|lower|fall|drop)\w*/i,
    marker: timeMarker,
  },
  {
    kind: "access",
    weak: /\b(?:must|required?|requires|mandatory|enforced|rejected|refused|revoked|no longer|stop(?:s|ped)?|expires?|ends?|replaces?|replaced|deprecated)\b/i,
    marker: changeMarker,
    needs: accessNoun,
  },
  {
    kind: "pricing",
    strong:
      /\b(?:price|pricing|fees?|cost) (?:increases?|decreases?|changes?|cuts?|reductions?|rises?)\b|\bno longer free\b|\b(?:new|lower|higher|reduced|updated) (?:prices?|pricing|fees?)\b|\b(?:prices?|pricing|fees?|costs?) (?:(?:will|are|is|have|has|now|to) ){0,3}(?:increas|decreas|chang|ris|fall|drop|doubl|halv|go (?:up|down))\w*/i,
  },
  {
    kind: "pricing",
    weak: /\b(?:is|are|be) (?:now )?(?:charged|billed)\b|\bno longer free\b/i,
    marker: new RegExp(`${dateSource}|\\bnow\\b`, "i"),
  },
  {
    kind: "model",
    strong:
      /\b(?:introducing|announcing|new|released?|launch(?:ed|ing)?|now available)\b[^.]{0,60}\bmodels?\b(?! (?:context|card|railway))|\bmodels?\b[^.]{0,40}\b(?:released|launched|now available|is here)\b/i,
    needs:
      /\b(?:[a-z]+(?:[- ][a-z]+){0,3}[- ]v?\d+(?:\.\d+)?(?:[- ][a-z]+)?|(?:language|speech|vision|embedding|reasoning|image|first|moderation) models?)\b/i,
  },
  {
    kind: "model",
    strong: /\b(?:introducing|announcing|released?|launch(?:ed|ing)?|now available)\b/i,
    needs:
      /\b[a-z]+(?:-[a-z]+){0,3}-v?\d+(?:\.\d+)?(?:-[a-z]+)?\b(?=.{0,80}\b(?:context|tokens?|parameters|price|reasoning|models?)\b)/i,
  },
  {
    kind: "launch",
    strong:
      /\bnow (?:generally |publicly |widely )?available\b|\b(?:is|are|becomes?|became) generally available\b|\b(?:reach(?:es|ed)?|in) general availability\b/i,
  },
  {
    kind: "feature",
    strong:
      /\bintroducing\b|(?:^|[:;,(–—-] ?)new(?:[:,;)!]|$)|\bnow (?:supports?|in (?:public |private |open )?(?:beta|preview)|available|lets?|accepts?|works? with|several|also)\b|\b(?:public|private|open) (?:beta|preview)\b|\bgenerally available\b|\bnew features?\b|\band now\b|\bearly access\b/i,
  },
  {
    kind: "fix",
    strong:
      /\bbug ?fix(?:es|ed)?\b|\b(?:bugs?|issues?|errors?|problems?|crash(?:es)?|leaks?|regressions?|typos?|failures?|races?|deadlocks?|faults?|defects?|vulnerabilit(?:y|ies))\b[^.]{0,80}\b(?:is|are|was|were|been) (?:now )?fixed\b|\b(?:is|are|was|were|been) (?:now )?fixed (?:in (?:v|version |release )?\d|since (?:v|version )?\d)|\bfixed:|(?:^|[,;(] ?)fixed (?:this\b|(?:in|with|since) [^.,;]{0,30}\d(?!\d{3}\b))|\bfix(?:es|ed) (?:a|an|the|several|some)\b(?! (?:prices?|fees?|amounts?)\b)|\bbugs?\b[^.]{0,80}\b(?:fixed|resolved|corrected)\b|\bwas a bug\b|\bresolved (?:a|an|the) (?:bug|issue|problem)\b/i,
  },
  {
    kind: "sdk",
    strong:
      /\bsdks?\b|\b(?:client|server)[- ](?:side )?librar(?:y|ies)\b|\b(?:python|php|ruby|java|node|go|rust|swift|kotlin|\.net) (?:library|client|package|driver)\b|\bcli (?:v|version )?\d/i,
  },
];

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
