import { hasForeignAddress } from "./addresses";
import { type Detector, isOnDomain, type Match } from "./finding";

const privateFile =
  /(?:~|\$HOME)\/\.[a-z]|(?:^|[\s`"'(@/])\.(?:env|npmrc|netrc|pypirc|git-credentials|pgpass)(?![.\w-])|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\/etc\/(?:passwd|shadow)\b|[\w*-]{1,40}\.(?:pem|pfx|keystore)\b|\bwallet(?:\.dat| file)\b|\/\.(?:ssh|aws|kube|gnupg)\b|\b[A-Z][A-Z0-9]{1,30}_(?:API_KEY|TOKEN|SECRET|SECRET_KEY|PASSWORD)\b/;

/** A public key, which is no secret wherever it is: `~/.ssh/id_rsa.pub`. */
const publicKey = /(?:~|\$HOME)?[\w./*-]{1,100}\.pub(?![\w./-])/g;

/** Whether a text names a file, or a variable, that contains secrets. */
export const namesPrivateFile = (text: string) =>
  privateFile.test(text) && privateFile.test(text.replace(publicKey, ""));

/** The rest of a command, with lines that a backslash continues. */
const rest = String.raw`(?:\\\n|[^\n]){0,600}`;

/** A command that can upload. */
const command = new RegExp(String.raw`\b(?:curl|wget|ncat|netcat|nc)\b${rest}`, "g");

/** A command that reads files, whose output is piped, by way of at most two others, into one that can upload. */
const pipeline = new RegExp(
  String.raw`(?<![\w-])(?:cat|tar|zip|gzip|base64|head|tail|grep|xxd|openssl|strings|sed|awk)(\s(?:\\\n|[^|\n\`]){1,160})` +
    String.raw`(?:\|(?:\\\n|[^|\n\`]){1,80}){0,2}\|[\s\\]{0,8}(?:sudo\s)?((?:xargs\s[^|\n\`]{0,40}?)?\b(?:curl|wget|ncat|netcat|nc)\b${rest})`,
  "g",
);

/** The same for a command that prints all variables of the environment. */
const environment = new RegExp(
  String.raw`(?<![\w./-])(?:env|printenv|export -p) {0,3}(?:\|[^|\n\`]{1,80}){0,2}\|[\s\\]{0,8}(\b(?:curl|wget|ncat|netcat|nc)\b${rest})`,
  "g",
);

/** An address with a place for what is read: `https://example.net/?d=<contents of .env>`. */
const template =
  /\bhttps?:\/\/[^\s"'`<>{}[\]]{1,200}=[<{[]{1,2}(?:the |all )?(?:contents?|output|values?|text) (?:of|from) ([^<>{}[\]\n]{1,80})[\]}>]/gi;

/** Options that upload, and what they upload. */
const upload =
  /\s(?:-[fgikLsSv]{0,4}[dFT][ =]?|--(?:data(?:-binary|-raw|-urlencode|-ascii)?|json|form|upload-file|post-file|post-data|body-file)[ =])["']?(?:\w{1,20}=)?@?(\S{1,100})/g;
/** The output of a command, in what is uploaded or in an address: `?key=$(cat ~/.netrc)`. */
const substituted =
  /(?:\s(?:-d|-F|--data(?:-binary|-raw|-urlencode)?|--form|--post-data)[ =]["']?[^\s"'$]{0,60}|:\/\/[^\s"'$]{1,200})\$\(([^()\n]{1,200})\)/g;
const standardInput = /^(?:-|\/dev\/stdin)["'`]{0,2}$/;
/** The host of `nc`, and the file that is its input. */
const rawHost = /^(?:ncat|netcat|nc)(?:\s{1,3}-\w{1,8}){0,5}\s{1,3}([\w-]{1,63}(?:\.[\w-]{1,63}){1,5})\s{1,3}\d{1,5}\b/;
const input = /[^<]<\s{0,3}([^\s<]{1,100})/;

function isForeign(line: string, own: string): boolean {
  const host = rawHost.exec(line)?.[1];
  return host === undefined ? hasForeignAddress(line, own) : !isOnDomain(host, own) && !host.startsWith("127.");
}

function uploadsPrivateFile(line: string): boolean {
  for (const [, file = ""] of line.matchAll(upload))
    if (namesPrivateFile(` ${file}`) && !/^\$(?!HOME\/)/.test(file)) return true;
  for (const [, source = ""] of line.matchAll(substituted)) if (namesPrivateFile(source)) return true;
  return rawHost.test(line) && namesPrivateFile(` ${input.exec(line)?.[1] ?? ""}`);
}

/** Whether a command uploads what is piped into it. */
function uploadsInput(line: string): boolean {
  if (line.startsWith("xargs") || rawHost.test(line)) return true;
  for (const [, file = ""] of line.matchAll(upload)) if (standardInput.test(file)) return true;
  return false;
}

/** Finds commands that upload private files to another domain than `own`, as ranges of `text` in UTF-16 code units. */
export function* findUploads(text: string, own: string): Iterable<{ start: number; end: number }> {
  for (const { index, 0: line } of text.matchAll(command))
    if (uploadsPrivateFile(line) && isForeign(line, own)) yield { start: index, end: index + line.length };
  for (const { index, 0: all, 1: source = "", 2: last = "" } of text.matchAll(pipeline))
    if (namesPrivateFile(source) && uploadsInput(last) && isForeign(last, own))
      yield { start: index, end: index + all.length };
  for (const { index, 0: all, 1: last = "" } of text.matchAll(environment))
    if (uploadsInput(last) && isForeign(last, own)) yield { start: index, end: index + all.length };
  for (const { index, 0: url, 1: source = "" } of text.matchAll(template))
    if (namesPrivateFile(` ${source}`) && hasForeignAddress(url, own)) yield { start: index, end: index + url.length };
}

const fetcher = "(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|aria2c)";
const isFetcher = new RegExp(`^${fetcher}$`, "i");
/** A program that fetches, a pipe into an interpreter, or the end of a command. */
const parts = new RegExp(
  `\\b${fetcher}\\b|\\|\\s{0,4}(?:sudo\\s{1,4}(?:-\\w{1,10}\\s{1,4})?)?(?:/(?:usr/)?bin/)?(?:(?:ba|z|da|k)?sh|iex|invoke-expression|python3?|perl|ruby|pwsh)\\b|\\n`,
  "gi",
);
/** Longest distance between the two programs, in UTF-16 code units. */
const maxCommandLength = 400;

/** Finds `curl … | sh`, which runs code that others may change at any time. */
function* detectPipes(text: string): Generator<Match> {
  let fetchedAt = Number.NEGATIVE_INFINITY;
  for (const { index, 0: part } of text.matchAll(parts)) {
    if (part === "\n") {
      // A backslash continues the command on the next line.
      if (text[index - 1] !== "\\") fetchedAt = Number.NEGATIVE_INFINITY;
    } else if (isFetcher.test(part)) {
      fetchedAt = index;
    } else if (index - fetchedAt <= maxCommandLength) {
      yield { detector: "piped-shell", family: "commands", points: 1, start: fetchedAt, end: index + part.length };
      fetchedAt = Number.NEGATIVE_INFINITY;
    }
  }
}

/** The same without a pipe: `sh -c "$(curl …)"`, `bash <(curl …)`, `exec(urlopen(…))`, `fetch(…).then(eval)`, `mshta https:`. */
const fedShell = new RegExp(
  [
    `\\b(?:(?:ba|z|da|k)?sh|source|eval|python3?|iex|invoke-expression)\\b[^\\n|]{0,30}?(?:[<$]?\\(|\`)\\s{0,3}${fetcher}\\b`,
    "\\b(?:iex|invoke-expression)\\b[^\\n]{0,60}\\bdownloadstring\\b",
    "\\bexec\\([^\\n]{0,80}\\b(?:urlopen|requests\\.get|http\\.get)\\(",
    "\\b(?:urlopen|requests\\.get)\\([^\\n]{0,120}\\bexec\\(",
    "\\bfetch\\([^\\n]{0,120}\\beval\\b|\\beval\\((?:await )?\\(?(?:await )?fetch\\(",
    "\\b(?:mshta|regsvr32)(?:\\.exe)?\\s[^\\n]{0,30}https?:",
    "\\bcertutil\\b[^\\n]{0,40}-urlcache\\b",
  ].join("|"),
  "gi",
);

/** Commands that give another machine a shell. */
const reverseShell = /\/dev\/tcp\/[\w.$-]{1,100}\/|\bn(?:et)?c(?:at)? -e \/bin\/|\bdup2\(\w{1,20}\.fileno\(\)/g;

/** Finds commands that run what they fetch or open a reverse shell. Includes code, where commands usually are. */
export const detectCommands: Detector = function* ({ text }) {
  yield* detectPipes(text);
  for (const { index, 0: command } of text.matchAll(fedShell)) {
    yield { detector: "piped-shell", family: "commands", points: 1, start: index, end: index + command.length };
  }
  for (const { index, 0: command } of text.matchAll(reverseShell)) {
    yield { detector: "reverse-shell", family: "commands", points: 2, start: index, end: index + command.length };
  }
};
