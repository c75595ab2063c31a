import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { childEnvironment } from "#lib/platform/config";
import {
  cassetteEnding,
  EditError,
  editableText,
  editedFile,
  readEditable,
  tapeSlug,
  writeFileAtomically,
} from "#lib/replay/cassettes/index";
import { listTapeFolders, readTapeFile } from "#lib/replay/recording-proxy/index";
import { CommandFailure, misused } from "../failure";
import type { CommandIo } from "../io";
import { readRecording } from "./tapes-show";

type Flags = { print?: boolean; set?: string };

/** Returns the file of a recording, named by its path, or by its id in the configured folder of cassettes or tapes. */
async function fileOf(recording: string): Promise<string> {
  if (existsSync(recording)) return recording;
  const { CASSETTE_DIR: folder = "content/cassettes" } = childEnvironment();
  const [slug = "", number = ""] = recording.split("/");
  const tapes = existsSync(folder) ? await listTapeFolders(folder) : [];
  const tests = await Promise.all(tapes.map((tape) => readTapeFile(tape, folder)));
  const tape = tapes.find((_, index) => tapeSlug(tests[index]?.test ?? "") === slug);
  const places = [join(folder, `${recording}.json`), ...(tape ? [join(tape, `${number}${cassetteEnding}`)] : [])];
  const found = places.find((place) => existsSync(place));
  if (found) return found;
  throw new CommandFailure(`${recording} is neither a file nor <folder>/<slug> in ${folder}.`, misused);
}

/** Opens a text in the user's editor, and returns it as it was saved. Throws CommandFailure. */
async function openInEditor(text: string): Promise<string> {
  const { VISUAL, EDITOR } = childEnvironment();
  const editor = VISUAL || EDITOR || (process.platform === "win32" ? "notepad" : "vi");
  if (!process.stdin.isTTY)
    throw new CommandFailure(
      "There is no terminal for an editor. Use --print, and --set with what was changed.",
      misused,
    );
  const folder = await mkdtemp(join(tmpdir(), "tapedeck-edit-"));
  const file = join(folder, "answer.yaml");
  try {
    await writeFile(file, text);
    const { status, error } = spawnSync(`${editor} "${file}"`, { shell: true, stdio: "inherit" });
    if (error || status !== 0)
      throw new CommandFailure(`${editor} ended with ${error?.message ?? status}. Nothing was changed.`);
    return await readFile(file, "utf8");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readEdited(file: string): Promise<string> {
  return readFile(file, "utf8").catch(({ message }: Error) => {
    throw new CommandFailure(`--set ${file}: ${message}.`, misused);
  });
}

async function edit(recording: string, { print, set }: Flags, io: CommandIo): Promise<void> {
  const file = await fileOf(recording);
  const verified = await readRecording(file);
  const text = editableText(readEditable(verified));
  if (print) {
    io.stdout.write(text);
    return;
  }
  const saved = set === undefined ? await openInEditor(text) : await readEdited(set);
  const bytes = editedFile(verified, saved, new Date());
  if (!bytes) {
    io.stdout.write("Nothing was changed.\n");
    return;
  }
  await writeFileAtomically(file, bytes, { replace: true });
  io.stdout.write(
    `${file} has another answer now, and is sealed again. Turns that repeat the old one no longer follow it.\n`,
  );
}

export function addEditCommand(program: Command, io: CommandIo): void {
  program
    .command("edit")
    .description("edit the answer of a recording or cassette: its text, tool inputs, or status")
    .argument("<recording>", "a file, such as tapes/…/001.cassette.json, or <folder>/<slug>")
    .option("--print", "print what can be edited, as YAML, and change nothing")
    .option("--set <file>", "read what was edited from a file instead of an editor")
    .action(async (recording: string, flags: Flags) => {
      await edit(recording, flags, io).catch((error) => {
        throw error instanceof EditError ? new CommandFailure(`${recording}: ${error.message}`) : error;
      });
    });
}
