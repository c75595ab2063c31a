import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { childEnvironment } from "#lib/platform/config";

/** A name in a file that may be that of a model. */
export type CodeName = { name: string; file: string; line: number };

/** Larger files are data. */
const maxFileByteSize = 1024 * 1024;
const maxFileCount = 100_000;

/** Prose, recordings and lists of packages name models that nothing calls. */
const notCode = /\.(?:md|mdx|rst|txt|csv|svg|lock|cassette\.json)$|(?:^|\/)cassettes\/|-lock\.(?:json|yaml)$/;
/** A whole string, or the value of a line such as `MODEL=gpt-5` or `model: gpt-5`. */
const namePattern = /(["'`])([\w./:@-]{2,150})\1|[=:][ \t]*([\w./:@-]{2,150})[ \t]*(?:#.*)?$/gm;

/**
 * A name of letters alone is more often a word ("Ada", "command") than a model, unless "model" is in front of it without another
 * key between.
 */
const wordPattern = /^[a-z]+$/i;
const modelPattern = /model(?:(?!(?:,|\n\s*(?:const |let |var |export )?)\s*["']?\w+["']?\s*[:=])[^;}])*$/i;
/** Most characters in front of a name that are searched for "model". */
const maxContextLength = 100;

const ignoredFiles = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"];
const maxListByteSize = 64 * 1024 * 1024;
const maxGitMs = 60_000;

/** Returns the files and folders below a folder that its Git work tree ignores, such as what a build wrote; none without Git. */
function readIgnored(folder: string): Set<string> {
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
    return new Set();
  }
}

function* filesBelow(folder: string, ignored: ReadonlySet<string>): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const isHidden = entry.name.startsWith(".");
    const isEnvironment = entry.name.startsWith(".env");
    if (ignored.has(path) && !isEnvironment) continue;
    if (entry.isDirectory() && !isHidden && entry.name !== "node_modules") yield* filesBelow(path, ignored);
    else if (entry.isFile() && (!isHidden || isEnvironment) && !notCode.test(path)) yield path;
  }
}

/**
 * Returns the names in the files of a folder, or in one file, that are those of recorded models or that `isModel` accepts, and
 * how many files were read. Throws the error of a folder that cannot be read.
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
    for (const match of text.matchAll(namePattern)) {
      const name = match[2] ?? match[3] ?? "";
      const isRecorded = recorded.has(name);
      if (!isRecorded && !isModel(name)) continue;
      const context = text.slice(Math.max(0, match.index - maxContextLength), match.index + 1);
      if (isRecorded || !wordPattern.test(name) || modelPattern.test(context))
        names.push({ name, file, line: text.slice(0, match.index).split("\n").length });
    }
  }
  return { fileCount, names };
}
