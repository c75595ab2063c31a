import { hasForeignAddress, hideLinkTargets } from "./addresses";
import { type Detector, isOnDomain, type Match, registrableDomain } from "./finding";
import remoteCode from "./phrases/remote-code.json" with { type: "json" };
import { visitSentences } from "./sentences";
import { readWords } from "./word-lists";
import { tokensOf } from "./words";

const { runs, downloads, code, downloaded, unattended, questions, readers, sources, shells } = readWords(remoteCode);

const maxObjectDistance = 3;

function isUnattended(tokens: readonly string[]): boolean {
  if (tokens.some((word) => unattended.has(word))) return true;
  if (tokens.some((word, at) => word === "don't" && tokens.slice(at + 1, at + 3).some((next) => questions.has(next))))
    return true;
  const must = tokens.findIndex((word) => word === "must" || word === "required");
  return must > 0 && tokens.slice(Math.max(0, must - 5), must).some((word) => readers.has(word));
}

/** Whether a verb asks to run what a verb before it fetched: "download … and run it". */
function runsDownload(tokens: readonly string[]): boolean {
  const fetched = tokens.findIndex((word) => downloads.has(word));
  if (fetched < 0) return false;
  return tokens.some(
    (word, at) =>
      word === "execute" ||
      word === "eval" ||
      (at > fetched &&
        runs.has(word) &&
        tokens.slice(at + 1, at + 1 + maxObjectDistance).some((object) => downloaded.has(object))),
  );
}

/** Whether a verb asks to run what is elsewhere: "run the script at", "pipe the response into a shell". */
function runsRemote(tokens: readonly string[]): boolean {
  return tokens.some((word, at) => {
    if (word === "pipe" || word === "feed") return tokens.slice(at + 1, at + 14).some((next) => shells.has(next));
    if (!runs.has(word) || word === "open") return false;
    const object = tokens.slice(at + 1, at + 5).findIndex((next) => code.has(next));
    return object >= 0 && tokens.slice(at + 2 + object, at + 5 + object).some((next) => sources.has(next));
  });
}

/** Shortest sentence that can name code and an address, in UTF-16 code units. */
const minLength = 20;
/** How much of the line is read, from the start of the sentence. */
const maxLineLength = 400;
const mayRun =
  /\b(?:run|execute|eval|evaluate|pipe|source|install|curl|wget|iwr|irm|download|fetch|start|launch|invoke|open|load|feed)\b/i;
const mayBeCode =
  /execut|eval|script|code|binary|output|payload|curl|wget|iwr|irm|install|program|module|bash|powershell|shell|command|snippet|macro|silent|quiet|ask|confirm|permission|\bit\b|\bfile\b/i;
/** A host without a path, which is no address otherwise: "the script hosted on example.com". */
const bareHost = /\bhosted (?:on|at|by) ((?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,24})\b/i;

function namesForeignHost(sentence: string, own: string): boolean {
  const [, host] = bareHost.exec(sentence) ?? [];
  return hasForeignAddress(sentence, own) || (host !== undefined && !isOnDomain(host, own));
}

/** Tools that run or install what a URL has, up to the URL. */
const installer = new RegExp(
  `\\b(?:${[
    "npx|bunx|uvx|pipx (?:run|install)|(?:pnpm|yarn) dlx|(?:uv )?pip3? install|(?:npm|pnpm|yarn|bun) (?:i|install|add)",
    "deno (?:run|install)|go (?:run|install)|gem install|cargo install|msiexec|wine|java -jar|helm install",
    "kubectl apply|docker (?:run|build)|conda install|code --install-extension|git clone",
  ].join("|")})\\b([^\\n[\\]()\`]{0,120}?)\\b(?:git\\+)?https?://([^\\s/:?#"'\`<>()]{1,253})([^\\n]{0,120})`,
  "gi",
);
/** Where documentation of any vendor gets packages and examples from. */
const codeHost =
  /(?:^|\.)(?:github\.com|githubusercontent\.com|gitlab\.com|bitbucket\.org|npmjs\.(?:org|com)|pypi\.org|pythonhosted\.org|jsr\.io|deno\.land|esm\.sh|pytorch\.org|github\.io)$/i;
const buildsClone = /&&|;|\|/;

/** Yields commands that install or run packages from other hosts than the vendor's and those of public code. */
function* detectInstallers(line: string, start: number, own: string): Generator<Match> {
  for (const { index, 0: command, 2: host = "", 3: rest = "" } of line.matchAll(installer)) {
    if (isOnDomain(host, own) || codeHost.test(host) || /^(?:localhost|127\.|example\.)/.test(host)) continue;
    if (/^git/i.test(command) && !buildsClone.test(rest)) continue;
    const end = start + index + command.length;
    yield { detector: "remote-code", family: "commands", points: 1, start: start + index, end };
  }
}

/**
 * Finds sentences that ask to download and execute code of another domain than the vendor's, which score more if nobody is to
 * be asked, and commands that install packages from there.
 */
export const detectRemoteCode: Detector = ({ text, prose, domain }) => {
  const own = registrableDomain(domain);
  const found: Match[] = [];
  const unlinked = hideLinkTargets(text);
  visitSentences(prose, (start, end) => {
    if (end - start < minLength) return;
    const sentence = unlinked.slice(start, end);
    if (sentence.includes("://")) found.push(...detectInstallers(sentence, start, own));
    if (!mayRun.test(sentence) || !mayBeCode.test(sentence) || !namesForeignHost(sentence, own)) return;
    const tokens = tokensOf(sentence);
    const isRun = tokens.some((word) => runs.has(word));
    const isCode = tokens.some((word) => code.has(word));
    const isDownloaded = runsDownload(tokens) || runsRemote(tokens);
    // A pipe ends a sentence, but not the demand.
    const [line = ""] = text.slice(start, start + maxLineLength).split("\n", 1);
    const isAlone = isUnattended(tokensOf(line));
    if (!(isDownloaded || (isRun && isCode)) && !(isAlone && (isRun || isCode))) return;
    if (!isAlone && !isDownloaded && !tokens.includes("execute")) return;
    found.push({ detector: "remote-code", family: "commands", points: isAlone ? 3 : 1, start, end });
  });
  return found;
};
