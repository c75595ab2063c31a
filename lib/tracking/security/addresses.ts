import { isOnDomain } from "./finding";

/** A URL, an e-mail address, a host with a path, or a public IP address with a port. */
const address =
  /\b(?:https?|ftp|wss?):\/\/([^\s/?#<>"'`()[\]{}]{1,253})|[\w.+-]{1,64}@([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4})|(?<![\w.@/-])((?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,24})\/\w|(?<![\w.])(?!0\.|10\.|127\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)(\d{1,3}(?:\.\d{1,3}){3}):\d{2,5}/gi;

const mayHaveAddress = /:\/\/|@|\w\.[a-z]{2,24}\/|\d\.\d{1,3}:\d/i;

/** Whether a sentence names a URL, an e-mail address or a host outside the domain `own` and its subdomains. */
export function hasForeignAddress(sentence: string, own: string): boolean {
  if (!mayHaveAddress.test(sentence)) return false;
  for (const [, authority, mailHost, bareHost, ip] of sentence.matchAll(address)) {
    const host = (authority ?? mailHost ?? bareHost ?? ip ?? "")
      .replace(/^.*@/, "")
      .replace(/:\d{0,5}$/, "")
      .replace(/\.$/, "");
    if (host.includes(".") && !isOnDomain(host, own) && !/\.(?:md|js|ts|json|py|ya?ml|txt|sh)$/i.test(host))
      return true;
  }
  return false;
}

/** A host alone, after a word that makes it a destination. Endings that are also those of files or products are left out. */
const destination =
  /\b(?:to|at|into|with)\s+(?:the\s+)?(?:host\s+|server\s+|domain\s+|address\s+)?["'`*]{0,3}((?:[a-z0-9-]{1,63}\.){1,4}(?:com|net|org|io|dev|app|ai|co|xyz|site|online|top|info|cloud|me|ru|cn|example))(?![\w/-]|\.\w)/gi;

/** Whether a sentence names a host alone outside the domain `own` and its subdomains as a destination. */
export function hasForeignDestination(sentence: string, own: string): boolean {
  return [...sentence.matchAll(destination)].some(([, host]) => !isOnDomain(host!, own));
}

/** A link that no word such as "to" or "from" precedes: its target is where readers find more, not where something goes. */
const passingLink =
  /(?<!\b(?:to|at|into|via|through|with|using|visit|open|from|run|execute|download|fetch) (?:the |this |our )?)\[[^[\]\n]{0,300}\]\([^()\n]{1,500}\)/gi;

/** Returns the text with passing links replaced by spaces; every other character keeps its position. */
export const hideLinkTargets = (text: string) => text.replace(passingLink, (link) => " ".repeat(link.length));
