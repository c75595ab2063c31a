import { closeSync, openSync, readSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { describeIssue, unknownKeyMessage } from "#lib/platform/describe-issue";
import { cassetteEnding, codeOf, isAlive, tapeFileName } from "#lib/replay/cassettes/index";
import { requireInside } from "./inside";
import { TapeError } from "./tape-error";

/** Ending of the folder with a complete tape that is being put in the place of another one. */
export const readyEnding = ".ready";

/** Name of a recording in the folder of its tape. */
export const cassetteFileSchema = z
  .string()
  .regex(/^[^/\\]+\.cassette\.json$/, "must be the name of a recording's file");

/** Whether a pointer names a file in a body, or the hash or size by which its content is compared. */
export const isFileContent = (pointer: string) =>
  /^\/multipart(?:\/[^/]+(?:\/(?:size|sha256|\*))?)?$|^\/binary(?:\/(?:size|sha256|\*))?$/.test(pointer);

/** A field of requests that is not compared. */
export const volatileSchema = z
  .string()
  .regex(/^\/.+/, "must be a JSON pointer such as /metadata/run_id")
  .refine(
    (pointer) => !isFileContent(pointer),
    "would accept any file: only texts of a form, /multipart/*/text, may differ",
  );

const tapeSchema = z.strictObject({
  schema: z.literal("tape/1"),
  test: z.string().describe("Name of the test, or `default`."),
  volatile: z
    .array(volatileSchema)
    .default([])
    .describe("JSON pointers of request fields that are not compared; `*` stands for any member."),
  local_hosts: z
    .array(z.string())
    .optional()
    .describe("Servers on this machine that are on the tape: replays lead requests to them to the proxy, too."),
  exchanges: z
    .array(
      z.strictObject({
        file: cassetteFileSchema,
        request: z.string().describe("Provider, method and path."),
        parent: z.string().nullable().describe("File of the turn before."),
        match: z.string().describe("Start of the hash by which the request is recognized."),
      }),
    )
    .describe("In the order in which they are played."),
});
export type TapeFile = z.infer<typeof tapeSchema>;

/** Returns the position that an error of `JSON.parse` is about. Node.js 20 quotes the text around it instead. */
function positionOf(text: string, message: string): number | undefined {
  const [, position] = /position (\d+)/.exec(message) ?? [];
  if (position !== undefined) return Number(position);
  if (message.includes("end of JSON")) return text.length;
  const [, quoted] = /"([\s\S]+)"(?:\.\.\.)? is not valid JSON$/.exec(message.replace(/^[^,]*, (?:\.\.\.)?/, "")) ?? [];
  const start = quoted === undefined ? -1 : text.indexOf(quoted);
  return start < 0 || quoted === undefined ? undefined : start + Math.floor(quoted.length / 2);
}

/** A line that Git writes around the sides of a conflict. */
const conflictPattern = /^(?:<{7}|={7}|>{7})/m;

/** Parses JSON. Throws TapeError with the file and line. */
export function parseTapeJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = (cause as Error).message;
    const conflict = conflictPattern.exec(text);
    const position = conflict?.index ?? positionOf(text, message);
    const line = position === undefined ? "" : `:${text.slice(0, position).split("\n").length}`;
    const problem = conflict
      ? "has an unresolved merge conflict"
      : text.startsWith("version https://git-lfs")
        ? "is a pointer of Git LFS: run git lfs pull, or set lfs: true of actions/checkout"
        : `is not valid JSON: ${message}`;
    throw new TapeError(`${path}${line} ${problem}`, { cause });
  }
}

/** Reads the list of exchanges of a tape below a folder; null if there is none. Throws TapeError. */
export async function readTapeFile(folder: string, root: string): Promise<TapeFile | null> {
  const path = join(folder, tapeFileName);
  requireInside(root, path);
  const text = await readFile(path, "utf8").catch((cause) => {
    if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return null;
    throw new TapeError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  });
  if (text === null) return null;
  const result = tapeSchema.safeParse(parseTapeJson(text, path), { error: unknownKeyMessage });
  const files = result.data?.exchanges.map(({ file }) => file) ?? [];
  const twice = files.find((file, index) => files.indexOf(file) < index);
  if (twice !== undefined) throw new TapeError(`${path} names ${twice} twice, as Git may merge two lists`);
  if (result.success) return result.data;
  throw new TapeError(`${path}: ${describeIssue(result.error)}`);
}

/** Ending of the folder in which a process records the tape of a test that has not ended yet. */
export const newEnding = (pid: number) => `.new-${pid}`;
/** Folders of tapes that are being recorded or put in place, or that a killed run left. */
const unfinished = /\.(?:new-(\d+)|ready)$/;
/** Whether a folder has a tape that is being recorded or put in place, or that a killed run left. */
export const isUnfinished = (folder: string): boolean => unfinished.test(folder);

/** Returns the folders of all tapes below a folder; those of a replacement that was interrupted only if asked for. */
export async function listTapeFolders(folder: string, { withReady = false } = {}): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter(({ name }) => name === tapeFileName)
    .map(({ parentPath }) => parentPath)
    .filter((path) => !isUnfinished(path) || (withReady && path.endsWith(readyEnding)))
    .sort();
}

/** Returns the folders of tapes that killed processes were recording; `recursive` also looks into folders. */
export async function listAbandoned(folder: string, { recursive }: { recursive: boolean }): Promise<string[]> {
  const entries = await readdir(folder, { recursive, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => {
      const [, pid] = unfinished.exec(entry.name) ?? [];
      return entry.isDirectory() && pid !== undefined && !isAlive(Number(pid));
    })
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}

/** Returns the servers on this machine that the tapes below a folder have. What cannot be read fails when a test opens it. */
export async function readLocalHosts(root: string): Promise<string[]> {
  const hosts = new Set<string>();
  for (const folder of await listTapeFolders(root, { withReady: true })) {
    const text = await readFile(join(folder, tapeFileName), "utf8").catch(() => "");
    // Most tapes have none: checking thousands of them whole would take a second.
    if (!text.includes('"local_hosts"')) continue;
    const list = await readTapeFile(folder, root).catch(() => null);
    for (const host of list?.local_hosts ?? []) hosts.add(host);
  }
  return [...hosts];
}

/** Bytes at the start of a recording that have the host of its request. */
const headByteSize = 4_096;

function readHead(path: string): string {
  const head = Buffer.alloc(headByteSize);
  try {
    const file = openSync(path, "r");
    const byteSize = readSync(file, head, 0, head.length, 0);
    closeSync(file);
    return head.toString("latin1", 0, byteSize);
  } catch {
    return "";
  }
}

/** Returns the hosts that the tapes below a folder were recorded from. It reads the heads of their files, not the answers. */
export async function readHosts(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  const heads = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(cassetteEnding))
    .map(({ parentPath, name }) => readHead(join(parentPath, name)));
  return [...new Set(heads.flatMap((head) => /"host": ?"([a-z0-9.:-]+)"/.exec(head)?.[1] ?? []))];
}

/** Compares the names of cassette files by their numbers, which have at least three digits. */
export function compareFiles(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

/** Returns the names of the cassette files of a tape below a folder, in order. Throws TapeError. */
export async function listCassetteFiles(folder: string, root: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause) => {
    if (codeOf(cause) === "ENOENT") return [];
    throw new TapeError(`${folder} cannot be read: ${(cause as Error).message}`, { cause });
  });
  const found = entries.filter(({ name }) => name.endsWith(cassetteEnding));
  for (const entry of found) if (entry.isSymbolicLink()) requireInside(root, join(folder, entry.name));
  return found.map(({ name }) => name).sort(compareFiles);
}
