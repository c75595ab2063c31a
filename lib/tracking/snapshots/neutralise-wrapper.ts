/**
 * What a parser or a model reads over within a tag: white space, controls, and characters that have no width or only
 * mark the one before them.
 */
const gap = "\\s\\p{Cc}\\p{Cf}\\p{Cn}\\p{M}\\p{Default_Ignorable_Code_Point}";
/** In front of the tag's name slashes may stand too. */
const lead = `${gap}/\\\\／∕⁄`;

/** Each character of the tag's name, with what looks like it: full width, Cyrillic, Greek, other hyphens. */
const nameParts = [
  ...["vｖѵν", "eｅеε", "nｎո", "dｄԁ", "oｏоο", "rｒг"],
  "\\-_‐‑‒–—―−﹣－",
  ...["cｃсϲ", "oｏоο", "nｎո", "tｔтτ", "eｅеε", "nｎո", "tｔтτ"],
];

/** An angle bracket that a tag of the wrapper may begin with, by the first characters behind it. */
const maybeTag = new RegExp(`[<＜﹤](?=[${lead}]{9}|[${lead}]{0,8}[${nameParts[0]}][${gap}${nameParts[1]}])`, "giu");
/** Bounded, since the engine keeps a place for each repetition: longer runs are matched piece by piece. */
const leadRun = new RegExp(`[${lead}]{1,256}`, "uy");
const gapRun = new RegExp(`[${gap}]{1,256}`, "uy");
const nameCharacters = nameParts.map((part) => new RegExp(`[${part}]`, "iuy"));

/** Where a match at a place ends; the place itself where nothing matches there. */
function endOfMatch(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function endOfRun(pattern: RegExp, text: string, at: number): number {
  let end = at;
  for (let next = endOfMatch(pattern, text, end); next > end; next = endOfMatch(pattern, text, end)) end = next;
  return end;
}

/** Whether the name of the wrapper's tag follows. It holds no angle bracket, so nothing is read twice. */
function isNameBehind(text: string, bracket: number): boolean {
  let at = endOfRun(leadRun, text, bracket + 1);
  for (const character of nameCharacters) {
    const start = endOfRun(gapRun, text, at);
    at = endOfMatch(character, text, start);
    if (at === start) return false;
  }
  return true;
}

/**
 * Takes the meaning from every `<` of a content that could open or close a `vendor-content` element, however the tag
 * is spelt: it becomes `&lt;`. All else stays as it is. Takes time in proportion to the content.
 */
export function neutraliseWrapper(content: string): string {
  return content.replace(maybeTag, (bracket, at: number) => (isNameBehind(content, at) ? "&lt;" : bracket));
}

/** Puts a content, or a part of one, that is neutralised already, in one element that names its source. */
export function wrapNeutralised(slug: string, neutralised: string): string {
  return `<vendor-content source="${slug}">\n${neutralised}\n</vendor-content>`;
}

/** A vendor's content as a model gets it: in one element that names its source and closes once, at the end. */
export function wrapContent(slug: string, content: string): string {
  return wrapNeutralised(slug, neutraliseWrapper(content));
}
