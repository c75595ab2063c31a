import { readFile, stat } from "node:fs/promises";
import { relative, resolve } from "node:path";
import type { Command } from "commander";
import { commandLine } from "#lib/platform/command-line";
import { formatCount } from "#lib/platform/format-count";
import { printable } from "#lib/platform/printable";
import { dayMs } from "#lib/platform/time";
import {
  describeCassette,
  objectOf,
  parseCassette,
  recordedAtOf,
  type VerifiedCassette,
} from "#lib/replay/cassettes/index";
import { listTapeFolders, Tape, TapeError } from "#lib/replay/recording-proxy/index";
import { CommandFailure, failed, misused } from "../failure";
import { type CommandIo, writeJson } from "../io";
import { playCassette } from "../play-cassette";
import { modelText, showCassette, usageText } from "../show-cassette";
import { explainingTapes, findTapes, readTapeConfig, requireTapes, rootOf } from "../tape-folders";

/** Most characters of a user message in a list. */
const maxPromptLength = 72;

type Exchange = {
  /** Position on the tape, from 1. */
  number: number;
  file: string;
  method: string;
  path: string;
  /** The part of the answer that was asked for, as in its header; null if it was all. */
  range: string | null;
  provider: string;
  model: string;
  /** The last user message. */
  prompt: string;
  status: number;
  usage: Record<string, unknown>;
  /** Null if it is not known. */
  recorded_at: string | null;
};

type ShownTape = { test: string; folder: string; exchanges: Exchange[] };

/** Reads a tape below a folder and describes its recordings; null if it has none. Throws TapeError. */
async function readTape(folder: string, root: string): Promise<ShownTape | null> {
  const tape = await Tape.open({ root, folder }, null);
  if (tape.exchanges.length === 0) return null;
  const exchanges: Exchange[] = [];
  for (const [index, exchange] of tape.exchanges.entries()) {
    const summary = describeCassette(await tape.readAnswer(exchange));
    const { file, request, provider } = exchange;
    exchanges.push({
      number: index + 1,
      file,
      method: request.method,
      path: request.path,
      range: request.headers?.range ?? null,
      provider: provider.name,
      model: modelText(provider, request, summary.model),
      // Of the whole request: the file of a later turn has only what is new.
      prompt: provider.readQuestion({ ...request, body: objectOf(request.body) }).prompt,
      status: summary.status,
      usage: summary.usage,
      recorded_at: recordedAtOf(summary.provenance),
    });
  }
  return { test: tape.test, folder: relative(process.cwd(), folder) || ".", exchanges };
}

function firstWords(text: string): string {
  const line = printable(text).replace(/\s+/g, " ").trim();
  return line.length <= maxPromptLength ? line : `${line.slice(0, maxPromptLength).replace(/\s+\S*$/, "")} …`;
}

/** Returns how long ago the oldest recording was made, of those that have a date. They have no time. */
function ageText({ exchanges }: ShownTape, now: Date): string {
  const times = exchanges.flatMap(({ recorded_at }) => (recorded_at === null ? [] : Date.parse(recorded_at)));
  if (times.length === 0) return "date unknown";
  const days = Math.floor((now.getTime() - Math.min(...times)) / dayMs);
  const age = days < 1 ? "today" : `${formatCount(days, "day")} ago`;
  const undatedCount = exchanges.length - times.length;
  return undatedCount === 0 ? age : `${age}, ${undatedCount} of unknown date`;
}

/** Most kinds of requests in the line of a tape. */
const maxKindCount = 3;

/** Returns the first kinds of a tape's requests, each with how often it occurs. */
function requestsText({ exchanges }: ShownTape): string {
  const counts = new Map<string, number>();
  for (const { method, path } of exchanges) {
    const request = `${method} ${path}`;
    counts.set(request, (counts.get(request) ?? 0) + 1);
  }
  const kinds = [...counts].map(([request, count]) => (count === 1 ? request : `${request} (${count})`));
  const more = kinds.length - maxKindCount;
  return `${kinds.slice(0, maxKindCount).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function tapeRow(tape: ShownTape, now: Date): string {
  const files = formatCount(tape.exchanges.length, "file");
  return `${printable(tape.test)}\n  ${tape.folder}  ${files}  ${requestsText(tape)}  ${ageText(tape, now)}\n`;
}

function tapeText({ test, folder, exchanges }: ShownTape): string {
  const rows = exchanges.map(({ file, method, path, range, model, status, usage, prompt }) => {
    const known = model === "unknown" ? "" : model;
    const head = [file, `${method} ${path}`, range, known, String(status), usageText(usage)].filter(Boolean);
    return `  ${head.join("  ")}\n${prompt === "" ? "" : `    ${firstWords(prompt)}\n`}`;
  });
  return `${printable(test)}\n${folder}\n${rows.join("")}`;
}

type ShowFlags = { json?: boolean; events?: boolean; tapes?: string };

/** Reads and verifies the file of a recording. Throws CommandFailure. */
export async function readRecording(file: string): Promise<VerifiedCassette> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    const reasons: Record<string, string> = { ENOENT: "there is no such file", EISDIR: "it is a folder" };
    const reason = reasons[error.code ?? ""] ?? error.message;
    throw new CommandFailure(`${file}: ${reason}. ${commandLine("show")} lists the files of recordings.`, misused);
  });
  try {
    return parseCassette(bytes);
  } catch (error) {
    throw new CommandFailure(`${file} ${(error as Error).message}`, failed);
  }
}

/** Reads the tapes of these folders. The second list says what is wrong with those that cannot be read. */
async function readTapes(
  folders: readonly string[],
  root: string,
): Promise<{ tapes: ShownTape[]; problems: string[] }> {
  const tapes: ShownTape[] = [];
  const problems: string[] = [];
  for (const folder of folders) {
    const tape = await readTape(folder, root).catch((error) => {
      if (!(error instanceof TapeError)) throw error;
      problems.push(`${error.message}.`);
      return null;
    });
    if (tape) tapes.push(tape);
  }
  return { tapes, problems };
}

async function listTapes(folders: readonly string[], root: string, { json }: ShowFlags, io: CommandIo): Promise<void> {
  const { tapes, problems } = await readTapes(folders, root);
  if (json) writeJson(io, { tapes });
  else for (const tape of tapes) io.stdout.write(tapeRow(tape, new Date()));
  if (problems.length > 0) throw new CommandFailure(problems.join("\n"));
}

/** Shows what the argument names: a recording, a folder, or a test. */
async function show(name: string | undefined, flags: ShowFlags, io: CommandIo): Promise<void> {
  const { tapes } = await readTapeConfig(flags.tapes);
  const path = name === undefined ? tapes : resolve(name);
  const found = await stat(path).catch(() => null);
  if (!found) await requireTapes(tapes);
  if (name !== undefined && found?.isFile()) return showCassette(await readRecording(name), flags, io);
  if (flags.events) throw new CommandFailure("--events needs the file of a recording.", misused);
  const root = found ? rootOf(path, tapes) : tapes;
  const ownTape = found ? await readTape(path, root) : null;
  const folders = found || name === undefined ? await listTapeFolders(path) : await findTapes(name, tapes);
  const [only, ...others] = folders;
  const tape = ownTape ?? (!found && only !== undefined && others.length === 0 ? await readTape(only, root) : null);
  if (tape) return flags.json ? writeJson(io, tape) : void io.stdout.write(tapeText(tape));
  if (folders.length > 0 || (name === undefined && flags.json)) return listTapes(folders, root, flags, io);
  if (name === undefined || found) {
    io.stdout.write(`There are no tapes in ${path}. Record one: ${commandLine("run -- <command>")}\n`);
    return;
  }
  throw new CommandFailure(
    `${name} is not a recording, a folder or a part of a test's name. ${commandLine("show")} lists the tapes.`,
    misused,
  );
}

export function addTapeShowCommand(program: Command, io: CommandIo): void {
  program
    .command("show")
    .description("list the tapes, the exchanges of one, or one recording: its request and its answer")
    .argument("[name]", "the file of a recording, a folder, or a test or a part of its name; without it, all tapes")
    .option("--tapes <dir>", "folder of the tapes (default: tapes, or that of tapedeck.config.json)")
    .option("--events", "print each event of a recording with its time instead")
    .option("--json", "print JSON; of a recording, all but its chunks, and its whole message")
    .action((name: string | undefined, flags: ShowFlags) => explainingTapes(() => show(name, flags, io)));
}

export function addTapePlayCommand(program: Command, io: CommandIo): void {
  program
    .command("play")
    .description("play a recording in the terminal with its timing")
    .argument("<file>", "a recording")
    .option("--speed <factor>", "0.1 to 100, or max", "1")
    .option("--raw", "write the bytes of the body unchanged")
    .action(async (file: string, options: { speed: string; raw?: boolean }) => {
      await playCassette(await readRecording(file), options, io);
    });
}
