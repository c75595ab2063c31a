import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Command } from "commander";
import { parseCassette, type VerifiedCassette } from "#lib/replay/cassettes/index";
import { listTapeFolders, readConfig, Tape, TapeError } from "#lib/replay/recording-proxy/index";
import { CommandFailure, failed, misused } from "../failure";
import type { CommandIo } from "../io";
import { playCassette } from "../play-cassette";
import { showCassette } from "../show-cassette";

async function readRecording(file: string): Promise<VerifiedCassette> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === "ENOENT" ? "there is no such file" : error.message;
    throw new CommandFailure(`${file}: ${reason}. tapedeck show lists the recordings.`, misused);
  });
  try {
    return parseCassette(bytes);
  } catch (error) {
    throw new CommandFailure(`${file} ${(error as Error).message}`, failed);
  }
}

async function listRecordings(io: CommandIo): Promise<void> {
  const { tapes } = await readConfig(process.cwd());
  const folders = await listTapeFolders(tapes);
  if (folders.length === 0) io.stdout.write(`There are no tapes in ${tapes}. Record one: tapedeck run -- <command>\n`);
  for (const folder of folders) {
    const tape = await Tape.open(folder, null);
    io.stdout.write(`${tape.test}\n`);
    for (const { file, provider, request } of tape.exchanges) {
      const path = relative(process.cwd(), join(folder, file));
      io.stdout.write(`  ${path}  ${provider.name}  ${request.method} ${request.path}\n`);
    }
  }
}

export function addTapeShowCommand(program: Command, io: CommandIo): void {
  program
    .command("show")
    .description("list the recordings of all tapes, or show one: its request and its answer")
    .argument("[file]", "a recording")
    .option("--events", "print each event with its time instead")
    .option("--json", "print JSON: the recording without its chunks, and its whole message")
    .action(async (file: string | undefined, options: { json?: boolean; events?: boolean }) => {
      try {
        if (file === undefined) await listRecordings(io);
        else showCassette(await readRecording(file), options, io);
      } catch (error) {
        throw error instanceof TapeError ? new CommandFailure(`${error.message}.`) : error;
      }
    });
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
