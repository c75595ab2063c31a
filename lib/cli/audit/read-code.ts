import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { childEnvironment } from "#lib/platform/config";
import { tapeFileName } from "#lib/replay/cassettes/index";
import { configFileName } from "#lib/replay/recording-proxy/index";

/** A name in a file that may be that of a model. */
export type CodeName = { name: string; file: string; line: number };

/** Larger files are data. */
const maxFileByteSize = 1024 * 1024;
const maxFileCount = 100_000;

/** Prose, recordings and lists of packages name models that nothing calls. */
const notCode = /\.(?:md|mdx|rst|txt|csv|svg|lock|cassette\.json)$|(?:^|\/)cassettes\/|-lock\.(?:json|yaml)$/;
const notCodeNames: readonly string[] = [configFileName, ".git", "node_modules"];
/**
 * What can be a name, with what is no part of it on both sides: quotes, brackets, the separators of values and lists, or the end of
 * the line. Between words it is prose.
 */
const namePattern =
  /(?<![\w./:@-])(?=[\w@/])(?<=^[ \t]*(?:-[ \t]+)?|["'`=,[][ \t]*|:[ \t]+)[\w./:@-]{2,150}(?=[ \t]*(?:["'`,\])};#]|\r?$))/gm;

/**
 * A name of letters alone is more often a word ("Ada", "command") than a model, unless "model" is in front of it without another
 * key between.
 */
const wordPattern = /^[a-z]+$/i;
const modelPattern = /model(?:(?!(?:,|\n\s*(?:const |let |var |export )?)\s*["']?\w+["']?\s*[:=])[^;}])*$/i;
/** Without quotes, it can be a variable. */
const variablePattern = /^\w+$/;
/**
 * In front of the value of a key such as `model`, `CHAT_MODEL` or `model_id`, or of the first one of its list. Attributes of templates
 * such as `v-model` name fields.
 */
const modelKeyPattern =
  /(?<!\b(?:v|x|ng)-|wire:)models?(?:[_-]?(?:id|name))?["'\]]*[ \t]*[:=](?:[ \t]*|[ \t]*(\[)\s*|\s*(- )[ \t]*)["'`]?$/i;
/**
 * Names within texts: in the path of an API, behind the flag of a command, and as the value or default of a variable. A page of
 * documentation is no API, and what has no sign can be a variable unless the flag says that it is a model.
 */
const insideStarts = [
  /(?<!\bdocs)\/(?:models|deployments)\//,
  /(?<![\w-])--[\w-]{0,40}model[\w-]{0,40}[ =]["']?/,
  /(?:(?<![\w-])--[\w-]{1,40}[ =]|\w=|\w:-)["']?(?=\w{1,99}[.-])/,
];
const insidePattern = new RegExp(`(?:${insideStarts.map(({ source }) => source).join("|")})([\\w.@-]{2,150})`, "gi");
/** Between two values of a list. */
const separatorPattern = /^["'`]?\s*(?:,|\n\s*- )\s*["'`]?$/;
/** Most characters in front of a name that are read. */
const maxContextLength = 100;

/** `isKeyed`: it is a value of a key that is called model. `isListed`: it follows a model in a list. */
type Place = {
  name: string;
  before: string;
  isQuoted: boolean;
  isWholeLine: boolean;
  isKeyed: boolean;
  isListed: boolean;
};

/** Whether a name that a model has is one here. */
function isNamed({ name, before, isQuoted, isWholeLine, isKeyed, isListed }: Place): boolean {
  if (isQuoted) return !wordPattern.test(name) || modelPattern.test(before);
  if (!variablePattern.test(name) || isListed || isKeyed) return true;
  return isWholeLine && !wordPattern.test(name);
}

/** Whether a key says that a name is a model's, and it can be one: words and variables are left out. */
const isClaimed = ({ name, isQuoted, isKeyed }: Place) =>
  isKeyed && /^[a-z]/i.test(name) && (isQuoted ? /[\d-]/ : /-/).test(name);

type Found = { name: string; index: number };

/** Returns the names in a text that are those of models and stand alone, with their positions. */
function* wholeNames(text: string, isRecorded: (name: string) => boolean, isModel: (name: string) => boolean) {
  let [lastEnd, lastModelEnd, lastKeyedEnd, isKeyedList] = [-1, -1, -1, false];
  for (const { 0: name, index } of text.matchAll(namePattern)) {
    const before = text.slice(Math.max(0, index - maxContextLength), index);
    const end = index + name.length;
    const isAfter = (last: number) =>
      last >= 0 && index - last < maxContextLength && separatorPattern.test(text.slice(last, index));
    if (/,[ \t]*$/.test(before) && !isAfter(lastEnd)) continue;
    const key = modelKeyPattern.exec(before);
    const isKeyed = key !== null || (isAfter(lastKeyedEnd) && (isKeyedList || index - lastKeyedEnd === 1));
    if (isKeyed) lastKeyedEnd = end;
    if (key) isKeyedList = (key[1] ?? key[2]) !== undefined;
    lastEnd = end;
    const quote = /["'`]$/.exec(before)?.[0];
    const isQuoted = quote !== undefined && text[end] === quote;
    const isWholeLine =
      /[=:][ \t]*$/.test(before) && /^[ \t]*(?:#.*)?\r?(?:\n|$)/.test(text.slice(end, end + maxContextLength));
    const place = { name, before, isQuoted, isWholeLine, isKeyed, isListed: isAfter(lastModelEnd) };
    if (!isRecorded(name) && !(isModel(name) ? isNamed(place) : isClaimed(place))) continue;
    lastModelEnd = end;
    yield { name, index };
  }
}

/** Returns the names in a text that are those of models, in their order, with their lines. */
function* namesIn(text: string, isRecorded: (name: string) => boolean, isModel: (name: string) => boolean) {
  const inside = [...text.matchAll(insidePattern)].flatMap(({ 0: all, 1: name = "", index }): Found[] =>
    isModel(name) || isRecorded(name) ? [{ name, index: index + all.length - name.length }] : [],
  );
  let next = 0;
  const hasInside = ({ name, index }: Found) => {
    while (next < inside.length && (inside[next] as Found).index < index) next += 1;
    return next < inside.length && (inside[next] as Found).index < index + name.length;
  };
  const alone = [...wholeNames(text, isRecorded, isModel)].filter((each) => !hasInside(each));
  let [line, last] = [1, 0];
  for (const { name, index } of [...inside, ...alone].sort((a, b) => a.index - b.index)) {
    line += text.slice(last, index).split("\n").length - 1;
    last = index;
    yield { name, line };
  }
}

const ignoredFiles = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"];
const maxListByteSize = 64 * 1024 * 1024;
const maxGitMs = 60_000;

/** Returns the files and folders below a folder that its Git work tree ignores, such as what a build wrote; null without Git. */
function readIgnored(folder: string): Set<string> | null {
  try {
    // Set in a hook of Git, these would make the folder the top of the work tree.
    const env = childEnvironment({ GIT_DIR: undefined, GIT_WORK_TREE: undefined, GIT_INDEX_FILE: undefined });
    const bounds = { maxBuffer: maxListByteSize, timeout: maxGitMs };
    const options = { cwd: folder, env, encoding: "utf8", stdio: "pipe", ...bounds } as const;
    const paths = execFileSync("git", ignoredFiles, options)
      .split("\0")
      .map((path) => join(folder, path).replace(/[\\/]$/, ""));
    const ignored = new Set(paths);
    // A folder that only has ignored files is listed beside them, and may have .env files.
    for (const path of paths) ignored.delete(dirname(path));
    return ignored;
  } catch {
    return null;
  }
}

function* filesBelow(folder: string, ignored: ReadonlySet<string> | null): Generator<string> {
  const entries = readdirSync(folder, { withFileTypes: true });
  if (entries.some(({ name }) => name === tapeFileName)) return;
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const isEnvironment = entry.isFile() && entry.name.startsWith(".env");
    // Without Git, a hidden folder may be a cache.
    const isLeftOut = ignored === null ? entry.name.startsWith(".") : ignored.has(path);
    if ((isLeftOut && !isEnvironment) || notCodeNames.includes(entry.name)) continue;
    if (entry.isDirectory()) yield* filesBelow(path, ignored);
    else if (entry.isFile() && !notCode.test(path)) yield path;
  }
}

/**
 * Returns the names in the files of a folder, or in one file, that are those of recorded models, that `isModel` accepts, or whose key
 * says that they are models, and how many files were read. Throws the error of a folder that cannot be read.
 */
export function readCode(
  path: string,
  recorded: ReadonlySet<string | null>,
  isModel: (name: string) => boolean,
): { fileCount: number; names: CodeName[] } {
  const files = statSync(path).isFile() ? [path] : filesBelow(path, readIgnored(path));
  const names: CodeName[] = [];
  let fileCount = 0;
  for (const file of files) {
    if (statSync(file).size > maxFileByteSize) continue;
    fileCount += 1;
    if (fileCount > maxFileCount) throw new Error(`${path} has more than ${maxFileCount} files`);
    const text = readFileSync(file, "utf8");
    for (const found of namesIn(text, (name) => recorded.has(name), isModel)) names.push({ ...found, file });
  }
  return { fileCount, names };
}
