import * as z from "zod";
import { commandLine } from "#lib/platform/command-line";
import type { JsonDifference } from "#lib/platform/json-difference";
import { compareWords } from "#lib/platform/text-difference";
import type { Provider } from "#lib/replay/providers/index";
import { type Matchable, type MatchOptions, matchRequest } from "./match-request";
import { cassetteFileSchema } from "./tape-file";
import type { TapeRequest } from "./tape-request";

/** Most places in which two requests may differ. */
const maxPartCount = 3;
/** Longest difference at a place, and how much of it is shown, in UTF-16 units. */
const maxPartLength = 200;
const maxShownLength = 80;
/** Most recordings that a request is compared with. */
const maxComparedCount = 20;
/** Longest body that is compared, as JSON, in UTF-16 units. */
const maxComparedLength = 256_000;

/** A recording, and the few words in which a request differs from it. */
export const similarSchema = z.object({
  file: cassetteFileSchema,
  parts: z.array(z.object({ before: z.string(), after: z.string() })),
});
export type Similar = z.infer<typeof similarSchema>;

export const volatileAdvice = "If this changes in each run, name it under volatile_text of tapedeck.config.json.";

/** Whether a part of a text is a mask now, which the recording still has unmasked. */
export function isMaskedNow(parts: Similar["parts"]): boolean {
  return parts.some(({ before, after }) => /\*{3}/.test(after) && !/\*{3}/.test(before));
}

/** Says what to do about such a text. */
export function maskedReason(): string {
  return `The nearest recording has a text that is removed from requests now, by redact or as the secret of a variable. To remove it from the tapes: ${commandLine("redact")}`;
}

/** Returns the few words of texts in which requests differ; null if they differ in more, in other values, or in all of a text. */
export function findChangedWords(differences: readonly JsonDifference[]): Similar["parts"] | null {
  const parts: Similar["parts"] = [];
  if (differences.length > maxPartCount) return null;
  for (const { pointer, before, after } of differences) {
    if (pointer === "" || typeof before !== "string" || typeof after !== "string") return null;
    const { one, other, hunks } = compareWords(before, after, maxPartCount);
    for (const { a, aEnd, b, bEnd } of hunks) {
      const texts = [one.slice(a, aEnd).join(""), other.slice(b, bEnd).join("")];
      const isWhole = texts[0] === before || texts[1] === after;
      if (isWhole || parts.length === maxPartCount || texts.some(({ length }) => length > maxPartLength)) return null;
      const [was = "", is = ""] = texts.map((text) =>
        text.length > maxShownLength ? `${text.slice(0, maxShownLength - 1)}…` : text,
      );
      parts.push({ before: was, after: is });
    }
  }
  return parts.length > 0 ? parts : null;
}

/** Returns the nearest of some recordings that no request has asked for, if a request differs from it only in a few words. */
export function findSimilar<T extends Matchable & { file: string }>(
  exchanges: readonly T[],
  { provider, asked }: { provider: Provider; asked: TapeRequest },
  options: MatchOptions,
): Similar | null {
  const isShort = ({ body }: TapeRequest) => JSON.stringify(body).length <= maxComparedLength;
  if (options.isExact || !isShort(asked)) return null;
  const unplayed = exchanges.filter((exchange) => !exchange.isPlayed && exchange.provider === provider);
  const compared = unplayed.slice(0, maxComparedCount).filter(({ request }) => isShort(request));
  const match = matchRequest(compared, provider, asked, options);
  const nearest = match.kind === "miss" ? match.findNearest() : null;
  const parts = nearest && findChangedWords(nearest.differences);
  return parts && { file: nearest.exchange.file, parts };
}
