/**
 * Characters that a parser or a model may ignore within a tag: white space, controls, characters without width, and
 * combining marks.
 */
const gap = "\\s\\p{Cc}\\p{Cf}\\p{Cn}\\p{M}\\p{Default_Ignorable_Code_Point}";
/** Before the tag's name, slashes may occur too. */
const lead = `${gap}/\\\\／∕⁄`;

/** Each character of the tag's name with its lookalikes: full-width, Cyrillic, Greek, other hyphens. */
const nameParts = [
  ...["vｖѵν", "eｅеε", "nｎո", "dｄԁ", "oｏоο", "rｒг"],
  "\\-_‐‑‒–—―−﹣－",
  ...["cｃсϲ", "oｏоο", "nｎո", "tｔтτ", "eｅеε", "nｎո", "tｔтτ"],
];

/** An angle bracket that may start a tag of the wrapper, judged by the first characters after it. */
const maybeTag = new RegExp(`[<＜﹤](?=[${lead}]{9}|[${lead}]{0,8}[${nameParts[0]}][${gap}${nameParts[1]}])`, "giu");
/** Bounded because the regex engine stores a position per repetition; longer runs are matched in pieces. */
const leadRun = new RegExp(`[${lead}]{1,256}`, "uy");
const gapRun = new RegExp(`[${gap}]{1,256}`, "uy");
const nameCharacters = nameParts.map((part) => new RegExp(`[${part}]`, "iuy"));

/** Returns the end of the match at an index, or the index itself if there is none. */
function endOfMatch(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function endOfRun(pattern: RegExp, text: string, at: number): number {
  let end = at;
  for (let next = endOfMatch(pattern, text, end); next > end; next = endOfMatch(pattern, text, end)) end = next;
  return end;
}

/** Whether the name of the wrapper's tag follows. The name contains no angle bracket, so no text is read twice. */
function isFollowedByName(text: string, bracket: number): boolean {
  let at = endOfRun(leadRun, text, bracket + 1);
  for (const character of nameCharacters) {
    const start = endOfRun(gapRun, text, at);
    at = endOfMatch(character, text, start);
    if (at === start) return false;
  }
  return true;
}

/**
 * Replaces with `&lt;` every `<` that could open or close a `vendor-content` element, however the tag is spelled.
 * Everything else is unchanged. Runs in linear time.
 */
export function neutraliseWrapper(content: string): string {
  return content.replace(maybeTag, (bracket, at: number) => (isFollowedByName(content, at) ? "&lt;" : bracket));
}

/** Wraps content that is already neutralised, or a part of it, in one element that names its source. */
export function wrapNeutralised(slug: string, neutralised: string): string {
  return `<vendor-content source="${slug}">\n${neutralised}\n</vendor-content>`;
}

/** Neutralises a vendor's content and wraps it in one element that names its source and is closed only at the end. */
export function wrapContent(slug: string, content: string): string {
  return wrapNeutralised(slug, neutraliseWrapper(content));
}
