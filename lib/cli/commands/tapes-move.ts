import { relative } from "node:path";
import type { Command } from "commander";
import { printable } from "#lib/platform/printable";
import { moveTape } from "#lib/replay/recording-proxy/index";
import { CommandFailure, misused } from "../failure";
import type { CommandIo } from "../io";
import { explainingTapes, openTapes, readTapeConfig } from "../tape-folders";

async function move(from: string, test: string, flags: { tapes?: string }, io: CommandIo): Promise<void> {
  const { tapes: root } = await readTapeConfig(flags.tapes);
  const [first, ...others] = await openTapes([from], root);
  if (!first || others.length > 0)
    throw new CommandFailure(`${from} is a part of several tests' names. Name one of them.`, misused);
  const folder = await moveTape({ root, folder: first.tape.folder }, test);
  const moved = `"${first.tape.test}" is now "${test}": ${relative(process.cwd(), folder)}`;
  io.stdout.write(`${printable(moved)}\n`);
}

export function addTapeMoveCommand(program: Command, io: CommandIo): void {
  program
    .command("move")
    .description("keep the tape of a test that was renamed, or whose file was moved")
    .argument("<from>", "the old name of the test, such as 'trip.test.ts > books a trip', or the folder of its tape")
    .argument("<test>", "the new name of the test")
    .option("--tapes <dir>", "folder of the tapes (default: tapes, or that of tapedeck.config.json)")
    .action((from: string, test: string, flags) => explainingTapes(() => move(from, test, flags, io)));
}
