import { hasForeignAddress, namesPrivateFile } from "./addresses";
import { wordClass } from "./rules";
import type { Detector } from "./scanned-text";
import { lineAround } from "./sentences";
import { tokensOf } from "./words";

const sendsInBrowser = String.raw`\b(?:fetch\(|sendBeacon\(|new Image|XMLHttpRequest|location\s{0,3}=|\.src\s{0,3}=)`;
const stored = String.raw`\b(?:document\.cookie|localStorage|sessionStorage)\b`;
const browserUpload = new RegExp(
  `${sendsInBrowser}[^\n]{0,200}${stored}|${stored}[^\n]{0,200}${sendsInBrowser}[^\n]{0,200}`,
  "g",
);

const uploader = String.raw`\b(?:curl|wget)\b(?:\\\n|[^\n]){0,600}`;
const command = new RegExp(uploader, "g");

/** A command that reads files or variables, whose output is piped, by way of at most two others, into one that can upload. */
const pipeline = new RegExp(
  String.raw`\b(?<![./-])(?:cat|tar|zip|gzip|base64|head|tail|grep|xxd|openssl|strings|sed|awk|env|printenv|export -p)(\s(?:\\\n|[^|\n\`]){0,160})` +
    String.raw`(?:\|(?:\\\n|[^|\n\`]){1,80}){0,2}\|[\s\\]{0,8}(?:sudo\s)?((?:xargs\s[^|\n\`]{0,40}?)?${uploader})`,
  "g",
);
const printsVariables = /^(?:env|printenv|export)\b/;

/** Options that upload, and what they upload; a variable that they name is a parameter, `$(…)` the output of a command. */
const upload =
  /\s(?:-[fgikLsSv]{0,4}[dFT][ =]?|--(?:data(?:-binary|-raw|-urlencode|-ascii)?|json|form|upload-file|post-file|post-data|body-file)[ =])["']?(?:\w{1,20}=)?@?(\S{1,100})/g;
const parameter = /[{<$](?!HOME\/|\()|(?:^|=)[A-Z][A-Z_]+(?:\W|$)/;
const substituted =
  /(?:\s(?:-d|-F|--data(?:-binary|-raw|-urlencode)?|--form|--post-data)[ =]["']?[^\s"'$]{0,60}|:\/\/[^\s"'$]{1,200})\$\(([^()\n]{1,200})\)/g;
const standardInput = /^(?:-|\/dev\/stdin)["'`]{0,2}$/;

const partsOf = (line: string, pattern: RegExp) => [...line.matchAll(pattern)].map(([, part = ""]) => part);

const uploadsPrivateFile = (line: string) =>
  partsOf(line, upload).some((file) => namesPrivateFile(` ${file}`) && !parameter.test(file)) ||
  partsOf(line, substituted).some(namesPrivateFile);

const uploadsInput = (line: string) =>
  line.startsWith("xargs") || partsOf(line, upload).some((file) => standardInput.test(file));

function* findUploads(text: string, own: string): Generator<RegExpExecArray> {
  for (const found of text.matchAll(command))
    if (uploadsPrivateFile(found[0]) && hasForeignAddress(found[0], own)) yield found;
  for (const found of text.matchAll(pipeline)) {
    const [all, source = "", last = ""] = found;
    const isPrivate = printsVariables.test(all) || namesPrivateFile(source);
    if (isPrivate && uploadsInput(last) && hasForeignAddress(last, own)) yield found;
  }
  for (const found of text.matchAll(browserUpload)) if (hasForeignAddress(found[0], own)) yield found;
}

const fetcher = "(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|aria2c)";
/** A program that fetches and one that runs what it fetched, which others may change at any time. */
const fetchedCode = new RegExp(
  `\\b(?:${[
    `${fetcher}\\b(?:\\\\\\n|[^\\n|]){0,400}(?:\\|(?:\\\\\\n|[^\\n|]){0,80})?\\|[\\s\\\\]{0,8}(?:sudo\\s{1,4}(?:-\\w{1,10}\\s{1,4})?)?(?:/(?:usr/)?bin/)?(?:(?:ba|z|da|k)?sh|iex|invoke-expression|python3?|perl|ruby|pwsh)\\b`,
    `(?:(?:ba|z|da|k)?sh|source|eval|python3?|iex|invoke-expression)\\b[^\\n|]{0,30}?(?:[<$]?\\(|\`)\\s{0,3}${fetcher}\\b`,
    "(?:iex|invoke-expression)\\b[^\\n]{0,60}\\bdownloadstring\\b",
    "exec\\([^\\n]{0,80}\\b(?:urlopen|requests\\.get|http\\.get)\\(",
    "(?:urlopen|requests\\.get)\\([^\\n]{0,120}\\bexec\\(",
    "fetch\\([^\\n]{0,120}\\beval\\b|eval\\((?:await )?\\(?(?:await )?fetch\\(",
    "(?:mshta|regsvr32)(?:\\.exe)?\\s[^\\n]{0,30}https?:|certutil\\b[^\\n]{0,40}-urlcache\\b",
  ].join("|")})`,
  "gi",
);

const unattended = wordClass("UNASKED");
const readers = wordClass("READERS");
const obliged = wordClass("must|should|shall|as");
const maxLineReach = 200;

function isUnattended(text: string, start: number, end: number): boolean {
  const { before, after } = lineAround(text, start, end, maxLineReach);
  const words = tokensOf(before + after);
  const has = (set: ReadonlySet<string>) => words.some((word) => set.has(word));
  return has(unattended) || (has(readers) && has(obliged));
}

/** Lead of a code block that a model is to insert, and what the code does: read or destroy a machine, and send or fetch. */
const insertion =
  /\b(?:following|subsequent|below)\s(?:\w+\s)?(?:code|snippet|excerpt|block|section)\b[^\n]{0,80}\b(?:your|the code)\b|\byour\b[^\n]{0,90}\b(?:following|subsequent|below)\s(?:code\s)?(?:code|snippet|excerpt|block|section)\b/gi;
const spies =
  /\b(?:psutil|pyperclip|win32clipboard|cookiejar|cookies?\.pkl|os\.environ|sounddevice|usb\.core|net_connections|contacts|bluetooth|paramiko|trash|private[_ ]?key|clipboard|driver_info)\b/i;
const sends =
  /\brequests\.p(?:os|u)t|\bsmtplib|yagmail|ftplib|\bsocket\b|paho|http\.client|\.connect\(|scp\b|sendmail|send_email|urllib3/i;
const destroys =
  /rm -rf \/|\bdd if=|systemctl stop|os\.remove\(["']\/|\/etc\/init\.d|\.terminate\(\)|\.Disable\(\)|\bexploit\b|\bminer|cryptomin|while True:\s{1,40}(?:try:\s{1,40})?(?:requests|os\.system|subprocess|create_window)|ssh -[LR] /i;
const [maxInsertionLength, maxInsertionDistance] = [2_000, 80];

const detectInsertions: Detector = function* ({ prose, text, code }) {
  const fences = code.filter(({ isFence }) => isFence);
  let next = 0;
  for (const { index: start, 0: lead } of prose.matchAll(insertion)) {
    const end = start + lead.length;
    while (next < fences.length && fences[next]!.start < start) next++;
    const fence = fences[next];
    if (!fence || fence.start - end > maxInsertionDistance) continue;
    const content = text.slice(fence.start, Math.min(fence.end, fence.start + maxInsertionLength));
    if (destroys.test(content) || (spies.test(content) && sends.test(content)))
      yield { detector: "code-insertion", points: 3, start, end };
  }
};

/** Finds commands that upload secrets, run what they fetch or open a reverse shell. Includes code, where commands usually are. */
export const detectCommands: Detector = function* (scanned) {
  const { text, prose, own, documentation } = scanned;
  const rangeOf = ({ index: start, 0: found }: RegExpExecArray) => ({ start, end: start + found.length });
  for (const range of [...findUploads(text, own)].map(rangeOf)) {
    const isCode = prose[range.start] === " ";
    if (isCode && documentation.isExample(range)) continue;
    // Code that a sentence tells the reader to run is no example.
    const isShown = isCode && prose.slice(prose.lastIndexOf("\n", range.start) + 1, range.start).trim() === "";
    yield { detector: "secret-exfiltration", points: isShown ? 3 : 4, isCode, ...range };
  }
  for (const range of [...text.matchAll(fetchedCode)].map(rangeOf)) {
    const isAlone = isUnattended(text, range.start, range.end);
    yield { detector: isAlone ? "remote-code" : "piped-shell", points: isAlone ? 3 : 1, ...range };
  }
  yield* detectInsertions(scanned);
};
