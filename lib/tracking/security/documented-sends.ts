import { pause, setOf } from "./words";

/** Pages and forms on which people enter what is theirs. */
const pages = setOf("field dashboard settings click wizard tab button sidebar prompted");
/** Where a secret is stored as one: "into a GitHub Actions secret". */
const stores = setOf("secret vault");
const headers = setOf("header headers bearer authorization");
/** What is obtained in exchange: "to get an access token". */
const obtains = setOf("get obtain receive request exchange acquire retrieve");
const tokens = setOf("apikey token tokens jwt session");
/** People whom the reader knows. */
const people = setOf("team administrator admin colleague colleagues teammate teammates manager coworkers");
/** What people upload as "your SSH key" is the public one. */
const uploads = setOf("upload submit");
const articles = setOf("your the");

/** Most words between the parts of a phrase. */
const [obtainReach, storeReach, headerReach] = [4, 5, 4];

/**
 * Whether the imperative of "send" at `at` tells people what to do with a secret of theirs, as documentation does: to enter it on a
 * page, to store it, to authenticate a request, to obtain a token in exchange, or to share it with somebody they know.
 * `isFile`: what is sent is a private file, which only a store of secrets excuses.
 */
export function isForOwner(words: readonly string[], at: number, isFile: boolean): boolean {
  if (uploads.has(words[at]!) && words[at + 1] === "your" && words[at + 2] === "sshkey") return true;
  for (let index = at + 1; index < words.length; index++) {
    const word = words[index]!;
    const before = words[index - 1]!;
    const next = words.slice(index + 1, index + 1 + storeReach);
    if (word === "into" && isStored(next)) return true;
    if (isFile) continue;
    if (pages.has(word)) return true;
    if (people.has(word) && articles.has(before) && /^(?:with|to)$/.test(words[index - 2] ?? "")) return true;
    if ((word === "in" || word === "as") && next.slice(0, headerReach).some((part) => headers.has(part))) return true;
    if (before === "to" && obtains.has(word) && next.slice(0, obtainReach).some((part) => tokens.has(part)))
      return true;
  }
  return false;
}

/** Whether the words name a store before any pause or address. */
function isStored(words: readonly string[]): boolean {
  const end = words.findIndex((word) => word === pause || word === "url" || word === "at");
  return words.slice(0, end < 0 ? words.length : end).some((word) => stores.has(word));
}
