/** Longest summary, in UTF-16 code units. */
export const maxSummaryLength = 500;
const maxSentenceCount = 3;

/** Sentences as one text: the first three, as long as they fit. */
export function joinSentences(sentences: readonly string[]): string {
  let text = "";
  for (const sentence of sentences.slice(0, maxSentenceCount)) {
    const next = text === "" ? sentence : `${text} ${sentence}`;
    if (next.length > maxSummaryLength) break;
    text = next;
  }
  if (text !== "") return text;
  return `${Array.from(sentences[0] ?? "")
    .slice(0, maxSummaryLength / 2 - 1)
    .join("")
    .trimEnd()}…`;
}
