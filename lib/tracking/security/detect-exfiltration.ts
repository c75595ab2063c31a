import { hasForeignAddress, hasForeignDestination, hideLinkTargets } from "./addresses";
import { findUploads, namesPrivateFile } from "./detect-commands";
import { isForOwner } from "./documented-instructions";
import { type Detector, registrableDomain } from "./finding";
import exfiltration from "./phrases/exfiltration.json" with { type: "json" };
import { visitSentences } from "./sentences";
import { readWords } from "./word-lists";
import { tokensOf } from "./words";

const lists = readWords(exfiltration);

/** How many words before a verb can make it harmless. */
const harmlessReach = 3;

/** Link texts and image descriptions, which name pages and instruct nobody. */
const linkText = /\[([^[\]\n]{1,300})\](?=\()/g;
const blank = (text: string) => " ".repeat(text.length);

/** Most words between the verb and what is sent, and from there to the word before the address. */
const [secretReach, addressReach] = [9, 14];

/** Whether something that the user owns is named at a word: "the user's messages", "each message of the user". */
function isBelonging(tokens: readonly string[], at: number): boolean {
  if (lists.owners.has(tokens[at]!)) return tokens.slice(at + 1, at + 4).some((word) => lists.belongings.has(word));
  if (tokens[at] === "private") return lists.belongings.has(tokens[at + 1] ?? "");
  return (
    lists.belongings.has(tokens[at]!) &&
    tokens[at + 1] === "of" &&
    tokens.slice(at + 2, at + 4).some((word) => lists.owners.has(word))
  );
}

/** Returns where something private is named after the word at `from`, or -1. */
function findPrivate(tokens: readonly string[], from: number): number {
  for (let at = from + 1; at <= Math.min(tokens.length - 1, from + secretReach); at++) {
    if (lists.requests.has(tokens[at]!)) return -1;
    if (lists.secrets.has(tokens[at]!) || isBelonging(tokens, at)) return at;
  }
  return -1;
}

function isImperative(tokens: readonly string[], at: number): boolean {
  if (tokens.slice(Math.max(0, at - harmlessReach), at).some((word) => lists.harmless.has(word))) return false;
  const before = tokens[at - 1] ?? "";
  if (lists.senders.has(before)) return false;
  if (!lists.describing.has(before)) return true;
  return before === "to" && lists.demanding.has(tokens[at - 2] ?? "");
}

/** Whether a pronoun follows the verb at `at`, and something private was named before. */
function isMeantBefore(tokens: readonly string[], at: number): boolean {
  const object = tokens.slice(at + 1, at + 4);
  if (!object.some((word) => lists.pronouns.has(word))) return false;
  const isWhole = object.some((word) => lists.wholes.has(word));
  return tokens
    .slice(Math.max(0, at - 16), at)
    .some(
      (word, index, before) =>
        lists.secrets.has(word) ||
        databaseUrl.test(word) ||
        (isWhole && lists.vaults.has(word)) ||
        isBelonging(before, index),
    );
}

/** A variable that contains a password: `DATABASE_URL`. */
const databaseUrl = /^(?:database|db|redis|mongo(?:db)?|postgres(?:ql)?|mysql)_(?:url|uri|dsn)$/;

/** Whether the words after `at` say "into the query string of https://…". */
function hasQuery(tokens: readonly string[], at: number): boolean {
  const query = tokens.indexOf("query", at);
  return query >= 0 && tokens.slice(query, query + 4).includes("url");
}

/** Whether the words from `at` on say "in a request to". */
const isRequestTo = (tokens: readonly string[], at: number) =>
  tokens
    .slice(at + 1, at + 4)
    .some((word, index, next) => word === "request" && lists.towards.has(next[index + 1] ?? ""));

/** Whether a secret is that of somebody else than the reader, or one that only a fraud asks for. */
const isTaken = (object: readonly string[]) =>
  object.some(
    (word) => lists.owners.has(word) || lists.all.has(word) || (lists.phished.has(word) && word !== "privatekey"),
  );

/** Whether the verb at `at` sends something private in some direction. */
function isSent(tokens: readonly string[], at: number, hasFile: boolean): boolean {
  const verb = tokens[at]!;
  const isStrong = lists.sends.has(verb);
  if (!(isStrong || lists.moves.has(verb)) || !isImperative(tokens, at)) return false;
  const named = findPrivate(tokens, at);
  const isFile = hasFile && verb !== "add";
  const subject = named < 0 ? at : named;
  if (named < 0 && !isFile && !isMeantBefore(tokens, at)) return false;
  const object = tokens.slice(at, subject + 1);
  const isOwned = object.some((word) => lists.owners.has(word) || lists.all.has(word) || lists.phished.has(word));
  const before = tokens.slice(0, subject);
  const isInserted = lists.inserts.has(verb) && !object.includes("your");
  const isGathered = named < 0 && !before.includes("your") && (before.includes("whatever") || hasQuery(tokens, at));
  if (!isStrong && !isFile && !isOwned && !isInserted && !isGathered) return false;
  if (!isTaken(object) && isForOwner(tokens, at, isFile)) return false;
  const path = tokens.slice(subject, subject + addressReach);
  const direction = path.findIndex(
    (word) =>
      lists.towards.has(word) ||
      (verb === "share" && word === "with") ||
      (!isStrong && (word === "in" || word === "as" || word === "when")),
  );
  if (direction < 0) return false;
  const isRequest = object.some((word) => lists.all.has(word)) && isRequestTo(path, direction);
  return isRequest || !path.slice(0, direction + 3).some((word) => lists.requests.has(word));
}

/** Whether the verb at `at` calls an address with what the user owns. */
function isCalled(tokens: readonly string[], at: number): boolean {
  if (!lists.calls.has(tokens[at]!) || !isImperative(tokens, at)) return false;
  const isPing = lists.pings.has(tokens[at]!);
  const isCarrying = tokens.some(
    (word, index) => index > at && (lists.beside.has(word) || (isPing && word === "with")),
  );
  return (
    isCarrying &&
    tokens.some((word) => lists.owners.has(word)) &&
    tokens.slice(at).some((word) => lists.secrets.has(word))
  );
}

/** Passive: "the token must be sent to". */
function isToBeSent(tokens: readonly string[], at: number, hasFile: boolean): boolean {
  const [demand = "", modal = ""] = tokens.slice(Math.max(0, at - 3), at - 1);
  if (tokens[at - 1] !== "be" || !(lists.obliging.has(modal) || (modal === "to" && lists.obliging.has(demand))))
    return false;
  return hasFile || tokens.slice(Math.max(0, at - 8), at).some((word) => lists.secrets.has(word));
}

/** Shortest sentence that can name a secret and an address, in UTF-16 code units. */
const minLength = 20;

/** Cheap tests that most sentences fail. */
const mayNameSecret =
  /pass|key|token|secret|credential|env|cookie|user|customer|card|prompt|conversation|history|transcript|seed|ssn|cvv|private|context|_ur[il]\b|_dsn\b|keychain|keyring|vault|\.(?:ssh|aws|npmrc|netrc|pem|pfx)|id_|wallet|\/etc\/|~\/|phrase/i;
const maySend =
  /send|sent|post|load|forward|mail|transmit|filtrate|leak|submit|shar|report|relay|push|deliver|dispatch|disclose|mirror|sync|curl|hand|append|include|encode|embed|paste|attach|copy|write|put|give|export|collect|read|open|dump|save|move|transfer|provide|insert|drop|ship|make|visit|fetch|call|request|notify|ping|hit|render|get|add|copied/i;

/** The reader's own file as a destination: "copy the token into your `.env` file". */
const ownFile = /\b(?:in|into|to) (?:your|the|an?) (?:local )?["'`]?\.env(?:\.\w{1,20})?["'`]?(?: file)?/gi;

function sendsSecret(whole: string, own: string): boolean {
  if (!mayNameSecret.test(whole) || !maySend.test(whole)) return false;
  if (!hasForeignAddress(whole, own) && !hasForeignDestination(whole, own)) return false;
  const sentence = whole.replace(ownFile, "");
  const tokens = tokensOf(sentence);
  const hasFile = namesPrivateFile(sentence);
  return tokens.some(
    (word, at) =>
      isSent(tokens, at, hasFile) || isCalled(tokens, at) || (lists.sent.has(word) && isToBeSent(tokens, at, hasFile)),
  );
}

/** How much of the line before a command is looked at, in UTF-16 code units. */
const maxLeadLength = 200;

/**
 * Finds sentences that send secrets, or what the user says or owns, to another domain than the vendor's, and commands, in
 * code too, that upload private files there.
 */
export const detectExfiltration: Detector = function* ({ text, prose, domain }) {
  const own = registrableDomain(domain);
  const unlinked = hideLinkTargets(text).replace(linkText, blank);
  const found: { start: number; end: number }[] = [];
  visitSentences(prose, (start, end) => {
    // Sentences come from the prose; addresses and file names are often in inline code, which only the text has.
    if (end - start >= minLength && sendsSecret(unlinked.slice(start, end), own)) found.push({ start, end });
  });
  for (const range of found) yield { detector: "secret-exfiltration", family: "instructions", points: 4, ...range };
  for (const { start, end } of findUploads(text, own)) {
    // Documentation about security shows such commands, alone in code.
    const before = prose.slice(Math.max(0, start - maxLeadLength), start);
    const isShown = (before.slice(before.lastIndexOf("\n") + 1) + prose.slice(start, end)).trim() === "";
    const points = isShown ? 2 : 4;
    yield { detector: "secret-exfiltration", family: "instructions", points, start, end };
  }
};
