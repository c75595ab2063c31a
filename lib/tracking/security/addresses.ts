/** Returns the registrable domain: `example.com` for `docs.example.com`; `example.co.uk` keeps three labels. */
export function registrableDomain(domain: string): string {
  const labels = domain.split(".");
  const kept = /^(?:ac|co|com|gov|net|org)$/.test(labels.at(-2) ?? "") && labels.at(-1)?.length === 2 ? 3 : 2;
  return labels.slice(-kept).join(".");
}

/** A URL, an e-mail address, a host with a path or alone, or a public IP address, which may have a port. */
const address =
  /\b(?:git\+)?(?:https?|ftp|wss?):\/\/([^\s/?#<>"'`()[\]{}]{1,253})(?:[^\s"'<>`)]|<[A-Z_]{1,40}>){0,2000}|[\w.+-]{1,64}@([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4})|(?<![\w.@/-])((?:[a-z0-9-]{1,63}\.){1,4}(?:com|net|org|io|dev|app|ai|co|cc|xyz|site|online|top|info|cloud|me|ru|cn|example|test))(?![\w-]|\.\w)(?:\/[^\s"'<>`)]{0,500})?|(?<![\w.@/-])((?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,24})\/\w[^\s"'<>`)]{0,500}|(?<![\w.])(?!0\.|10\.|127\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)(\d{1,3}(?:\.\d{1,3}){3})(?::\d{2,5}\b|(?=[/\s]))/gi;

/** A host that is none: a file, or a package such as `socket.io/client`. */
const fileEnding = /\.(?:md|mdx|js|ts|tsx|json|py|ya?ml|txt|sh|rs|go|html?|css|env|toml|lock)$/i;
/** Products are written with capitals, as in `Acme.AI`; `your-domain.com` stands for the reader's own. */
const noHost = /[a-z]\.[A-Z]+$|\byour-?\w*\./;

const privateFile =
  /(?:(?:~|\$HOME)\/|(?<![\w.]))\.(?:env|npmrc|netrc|pypirc|git-credentials|pgpass|ssh|aws|kube|gnupg)(?![.\w-])[\w/*.-]{0,80}|(?:~|\$HOME)\/\.[\w/*.-]{1,80}|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\/etc\/(?:passwd|shadow)\b|[\w*-]{1,40}\.(?:pem|pfx|keystore)\b|\bwallet(?:\.dat| file)\b|\$?\{?\b[A-Z][A-Z0-9]{1,30}_(?:API_KEY|TOKEN|SECRET|SECRET_KEY|ACCESS_KEY|PASSWORD)\b\}?|\b(?:DATABASE|DB|REDIS|MONGO(?:DB)?|POSTGRES(?:QL)?|MYSQL)_(?:URL|URI|DSN)\b/g;
/** A public key, which is no secret wherever it is: `~/.ssh/id_rsa.pub`. */
const publicKey = /(?:~|\$HOME)?[\w./*-]{1,100}\.pub(?![\w./-])/g;

const markFiles = (text: string) =>
  (text.includes(".pub") ? text.replace(publicKey, " ") : text).replace(privateFile, " @file ");

export const namesPrivateFile = (text: string) => markFiles(text).includes("@file");

/** A link that no word such as "to" or "from" precedes: its target is where readers find more, not where something goes. */
const passingLink =
  /(?:\[(?<!\b(?:to|at|into|via|through|with|using|visit|open|from|run|execute|download|fetch) (?:the |this |our )?\[)|^)([^[\]\n]{0,300})\]\([^()\s]{1,500}(\s[^()\n]{1,500})?\)/gi;

/** What every address and private file has, except the words `wallet file`. */
const mayHaveEither = /[.@/_]/;
const mayHaveAddress = /:\/\/|@|\w\.[a-z]{2,24}(?![\w-])|\d\.\d{1,3}[:/ ]/i;
const mayHaveFile =
  /\.(?:env|npm|net|pypi|git|pg|ssh|aws|kube|gnu|pem|pfx|key|dat)|~\/|HOME\/|id_|\/etc\/|[A-Z0-9]_[A-Z]/;

/** Whether an address found by `address` is outside the domain `own` and its subdomains; undefined if it is no address. */
function isForeign(hosts: readonly (string | undefined)[], own: string): boolean | undefined {
  const found = hosts.find((host) => host !== undefined) ?? "";
  const host = found.replace(/^.*@|\.?(?::\d{0,5})?$/g, "");
  if (!host.includes(".") || fileEnding.test(host) || noHost.test(host)) return undefined;
  return !`.${host}`.toLowerCase().endsWith(`.${own}`.toLowerCase());
}

/** Whether the query of a URL has a secret. The key of the host's own service is none: `?key=$ACME_API_KEY` at acme.test. */
function carriesSecret(url: string): boolean {
  const [host = "", query = ""] = url.toLowerCase().split("?", 2);
  const [, vendor = ""] = /[{$.]([a-z0-9]+)_/.exec(query) ?? [];
  const isOwnKey = host.includes(vendor) || host.includes("googleapis.com");
  return namesPrivateFile(url.slice(host.length + 1)) && !(vendor && isOwnKey) && !/\b(?:your|my)_/.test(query);
}

/** Replaces addresses and private files of a sentence by ` @address `, ` @own ` and ` @file `. */
export function markAddresses(sentence: string, own: string): string {
  let marked = sentence;
  if (marked.includes("]("))
    marked = marked.replace(passingLink, (_, label: string, title = "") =>
      mayHaveEither.test(label) ? label.replace(address, "") + title : label + title,
    );
  if (!mayHaveEither.test(marked)) return marked;
  if (mayHaveAddress.test(marked))
    marked = marked.replace(address, (found, ...hosts: (string | undefined)[]) => {
      const isOutside = isForeign(hosts.slice(0, 5), own);
      if (isOutside === undefined) return found;
      return isOutside ? ` ${carriesSecret(found) ? "@file " : ""}@address ` : " @own ";
    });
  return mayHaveFile.test(marked) ? markFiles(marked) : marked;
}

export const hasForeignAddress = (text: string, own: string) =>
  [...text.matchAll(address)].some(([, ...hosts]) => isForeign(hosts, own));
