import { hasForeignAddress } from "./addresses";
import { type Detector, type Match, registrableDomain } from "./finding";
import { visitSentences } from "./sentences";
import { tokensOf } from "./words";

const setOf = (words: string) => new Set(words.split(/\s+/));

const runs = setOf("run execute eval evaluate pipe source install");
const downloads = setOf("download fetch get curl wget iwr install pull");
const code = setOf("script scripts code output binary executable payload curl wget iwr");
/** Words that say that nobody is asked: "silently", "without asking", "do not ask". */
const unattended = setOf("silently quietly unattended");
const questions = setOf("ask asking confirmation informing telling permission notifying prompting consent hide");
const readers = setOf("ai agents assistants llms agent assistant");

function isUnattended(tokens: readonly string[]): boolean {
  if (tokens.some((word) => unattended.has(word))) return true;
  if (tokens.some((word, at) => word === "don't" && tokens.slice(at + 1, at + 3).some((next) => questions.has(next))))
    return true;
  const must = tokens.findIndex((word) => word === "must" || word === "required");
  return must > 0 && tokens.slice(Math.max(0, must - 5), must).some((word) => readers.has(word));
}

/** Shortest sentence that can name code and an address, in UTF-16 code units. */
const minLength = 20;
/** How much of the line is read, from the start of the sentence. */
const maxLineLength = 400;
const mayRun = /\b(?:run|execute|eval|evaluate|pipe|source|install|curl|wget|iwr|download|fetch)\b/i;
const mayBeCode = /execut|eval|script|code|binary|output|payload|curl|wget|iwr|silent|quiet|ask|confirm|permission/i;

/**
 * Finds sentences that ask to download and execute code of another domain than the vendor's, which score more if nobody is to
 * be asked.
 */
export const detectRemoteCode: Detector = ({ text, prose, domain }) => {
  const own = registrableDomain(domain);
  const found: Match[] = [];
  visitSentences(prose, (start, end) => {
    if (end - start < minLength) return;
    const sentence = text.slice(start, end);
    if (!mayRun.test(sentence) || !mayBeCode.test(sentence) || !hasForeignAddress(sentence, own)) return;
    const tokens = tokensOf(sentence);
    const isRun = tokens.some((word) => runs.has(word));
    const isCode = tokens.some((word) => code.has(word));
    const isDownloaded =
      tokens.some((word) => downloads.has(word)) && tokens.some((word) => word === "execute" || word === "eval");
    // A pipe ends a sentence, but not the demand.
    const [line = ""] = text.slice(start, start + maxLineLength).split("\n", 1);
    const isAlone = isUnattended(tokensOf(line));
    if (!(isDownloaded || (isRun && isCode)) && !(isAlone && (isRun || isCode))) return;
    if (!isAlone && !isDownloaded && !tokens.includes("execute")) return;
    found.push({ detector: "remote-code", family: "commands", points: isAlone ? 3 : 1, start, end });
  });
  return found;
};
