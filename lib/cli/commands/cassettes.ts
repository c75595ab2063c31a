import type { Command } from "commander";
import { commandLine } from "#lib/platform/command-line";
import { writeAuthoredFile } from "#lib/replay/cassettes/author/index";
import { cassetteJsonSchema } from "#lib/replay/cassettes/format";
import {
  type CassetteSummary,
  cassettesOfSequences,
  catalogue,
  listStoredIds,
  readStoredSequences,
  sequencesFile,
} from "#lib/replay/cassettes/index";
import { readCassetteArgument, shortPath } from "../cassette-files";
import { CommandFailure } from "../failure";
import { type CommandIo, writeJson } from "../io";
import { playCassette } from "../play-cassette";
import { showCassette } from "../show-cassette";
import { addImportCommand } from "./cassettes-import";
import { addPushCommand } from "./cassettes-push";

function addPlayCommand(cassettes: Command, io: CommandIo): void {
  cassettes
    .command("play")
    .description("play a cassette in the terminal with its timing")
    .argument("<cassette>", "a file or <folder>/<slug>")
    .option("--speed <factor>", "0.1 to 100, or max", "1")
    .option("--raw", "write the bytes of the body unchanged")
    .action(async (argument: string, options: { speed: string; raw?: boolean }) => {
      await playCassette(await readCassetteArgument(argument), options, io);
    });
}

export function addCassettesCommand(program: Command, io: CommandIo): void {
  const cassettes = program.command("cassettes").description("list, verify, show, play, import and author cassettes");
  addListCommand(cassettes, io);
  addVerifyCommand(cassettes, io);
  addShowCommand(cassettes, io);
  addPlayCommand(cassettes, io);
  addImportCommand(cassettes, io);
  addAuthorCommand(cassettes, io);
  addPushCommand(cassettes, io);
  addSchemaCommand(cassettes, io);
}

function listLine({ id, title, provider, chunkCount, durationMs, provenance }: CassetteSummary, width: number): string {
  const seconds = `${(durationMs / 1000).toFixed(1)} s`.padStart(7);
  return `${id.padEnd(width)}  ${String(chunkCount).padStart(5)} chunks  ${seconds}  ${provenance.kind.padEnd(8)}  ${provider.padEnd(16)}  ${title}\n`;
}

function addListCommand(cassettes: Command, io: CommandIo): void {
  cassettes
    .command("list")
    .description("list the cassettes of the configured store; the log names broken ones")
    .option("--vertical <vertical>", "only this vertical")
    .option("--json", "print JSON")
    .action(async ({ vertical, json }: { vertical?: string; json?: boolean }) => {
      const all = (await catalogue().list()).filter((summary) => !vertical || summary.vertical === vertical);
      if (json) {
        writeJson(
          io,
          all.map(({ text: _text, prompt: _prompt, ...row }) => row),
        );
        return;
      }
      if (all.length === 0) io.stdout.write(`No cassettes. Record one: ${commandLine("record --help")}\n`);
      const width = Math.max(0, ...all.map(({ id }) => id.length));
      for (const summary of all) io.stdout.write(listLine(summary, width));
    });
}

type Verdict = { cassette: string; ok: boolean; reason: string | null };

async function verify(cassette: string): Promise<Verdict> {
  try {
    await readCassetteArgument(cassette);
    return { cassette, ok: true, reason: null };
  } catch (error) {
    return { cassette, ok: false, reason: (error as Error).message };
  }
}

/** Checks the store's sequence file against its schema and the ids of all cassettes; null if there is none. */
async function verifySequences(ids: readonly string[]): Promise<Verdict | null> {
  try {
    const sequences = await readStoredSequences();
    if (!sequences) return null;
    const missing = [...cassettesOfSequences(sequences)].find((id) => !ids.includes(id));
    const reason = missing === undefined ? null : `${sequencesFile} names ${missing}, which is not in the store`;
    return { cassette: sequencesFile, ok: reason === null, reason };
  } catch (error) {
    return { cassette: sequencesFile, ok: false, reason: `${sequencesFile} ${(error as Error).message}` };
  }
}

function addVerifyCommand(cassettes: Command, io: CommandIo): void {
  cassettes
    .command("verify")
    .description("check cassettes against their schema and hashes; exits with 1 if one is broken")
    .argument("[cassettes...]", "files or <folder>/<slug>; without any, the whole store and its sequences.json")
    .option("--json", "print JSON")
    .action(async (given: string[], { json }: { json?: boolean }) => {
      const names = given.length > 0 ? given : await listStoredIds();
      const verdicts: Verdict[] = [];
      const report = (verdict: Verdict) => {
        verdicts.push(verdict);
        if (!json) io.stdout.write(verdict.ok ? `ok   ${verdict.cassette}\n` : `BAD  ${verdict.reason}\n`);
      };
      for (const name of names) report(await verify(name));
      const sequences = given.length > 0 ? null : await verifySequences(names);
      if (sequences) report(sequences);
      if (json) writeJson(io, verdicts);
      const broken = verdicts.filter(({ ok }) => !ok).length;
      if (broken > 0) throw new CommandFailure(`${broken} of ${verdicts.length} files are broken.`);
    });
}

function addShowCommand(cassettes: Command, io: CommandIo): void {
  cassettes
    .command("show")
    .description("show a cassette: its provenance, prompt and answer")
    .argument("<cassette>", "a file or <folder>/<slug>")
    .option("--events", "print each event with its time instead")
    .option("--json", "print JSON: the cassette without its chunks, and its whole message")
    .action(async (argument: string, { json, events }: { json?: boolean; events?: boolean }) => {
      showCassette(await readCassetteArgument(argument), { json, events }, io);
    });
}

function addSchemaCommand(cassettes: Command, io: CommandIo): void {
  cassettes
    .command("schema")
    .description("print the JSON Schema of the cassette format, as published at /schemas/cassette-2.schema.json")
    .action(() => writeJson(io, cassetteJsonSchema()));
}

type Written = Awaited<ReturnType<typeof writeAuthoredFile>>;

function describe({ id, path, byteSize, chunkCount, durationMs }: Written): string {
  const size = `${(byteSize / 1000).toFixed(1)} kB`;
  return `${id}: ${chunkCount} chunks, ${(durationMs / 1000).toFixed(1)} s, ${size}, written to ${shortPath(path)}\n`;
}

/** Adds `tapedeck cassettes author`. An invalid script does not stop the others from being built. */
function addAuthorCommand(cassettes: Command, io: CommandIo): void {
  const author = cassettes
    .command("author")
    .description("build authored cassettes from their YAML scripts, deterministically")
    .argument("<script.yaml...>", "scripts at <folder>/<slug>.yaml")
    .option("--out <dir>", "folder for <folder>/<slug>.json (default: beside each script)")
    .action(async (scripts: string[], options: { out?: string }) => {
      const failures: string[] = [];
      for (const script of scripts) {
        try {
          io.stdout.write(describe(await writeAuthoredFile(script, options.out)));
        } catch (error) {
          failures.push(`${script}: ${(error as Error).message}`);
        }
      }
      if (failures.length > 0) author.error(failures.join("\n"), { exitCode: 1 });
    });
}
