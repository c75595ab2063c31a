import { LRUCache } from "lru-cache";
import type { Terms } from "./find-secrets";

/** Terms whose texts are kept, and characters kept for each: more than a long conversation has. */
const maxTermsCount = 4;
const maxCharacters = 8_000_000;
/** Counted for each text besides its characters: about what the cache needs for an entry. */
const entrySize = 100;

type CleanTexts = Pick<LRUCache<string, true>, "get" | "set">;

const byTerms = new LRUCache<string, LRUCache<string, true>>({ max: maxTermsCount });

/**
 * Returns the texts of which a search for exactly these terms has found nothing. Requests repeat all that was said before:
 * without these, each turn of a conversation would be searched again at every later one.
 */
export function cleanTextsOf({ known, allowed }: Omit<Terms, "isAnswer">): CleanTexts {
  const key = JSON.stringify([known, allowed]);
  const sizeCalculation = (_value: true, text: string) => text.length + entrySize;
  const texts = byTerms.get(key) ?? new LRUCache<string, true>({ maxSize: maxCharacters, sizeCalculation });
  byTerms.set(key, texts);
  return texts;
}
