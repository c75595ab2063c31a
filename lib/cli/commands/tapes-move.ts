import { relative, resolve } from "node:path";
import type { Command } from "commander";
import { commandLine } from "#lib/platform/command-line";
import { printable } from "#lib/platform/printable";
import { moveTape } from "#lib/replay/recording-proxy/index";
import { CommandFailure, misused } from "../failure";
import type { CommandIo } from "../io";
import { explainingTapes, openTapes, readTapeConfig } from "../tape-folders";

async function move(from: string, test: string, flags: { tapes?: string }, io: CommandIo): Promise<void> {
  const { tapes: root } = await readTapeConfig(flags.tapes);
  const found = (await openTapes([from], root)).map(({ tape }) => tape);
  const [tape, ...others] = found.filter((each) => each.test === from || each.folder === resolve(from));
  if (!tape || others.length > 0) {
    const whole = `${from} is not the whole name of one test, or the folder of its tape`;
    throw new CommandFailure(`${whole}. ${commandLine("show")} lists the tapes.`, misused);
  }
  const folder = await moveTape({ root, folder: tape.folder }, test);
  const moved = `"${tape.test}" is now "${test}": ${relative(process.cwd(), folder)}`;
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
