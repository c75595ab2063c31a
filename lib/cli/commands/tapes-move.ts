import { relative, resolve } from "node:path";
import type { Command } from "commander";
import { commandLine } from "#lib/platform/command-line";
import { printable } from "#lib/platform/printable";
import { divideName, listTapeFolders, moveTapes, readTapeFile } from "#lib/replay/recording-proxy/index";
import { CommandFailure, misused } from "../failure";
import type { CommandIo } from "../io";
import { explainingTapes, readTapeConfig, requireTapes } from "../tape-folders";

async function move(from: string, to: string, flags: { tapes?: string }, io: CommandIo): Promise<void> {
  const { tapes: root } = await readTapeConfig(flags.tapes);
  await requireTapes(root);
  const tapes = await Promise.all(
    (await listTapeFolders(root)).map(async (folder) => ({
      folder,
      old: (await readTapeFile(folder, root))?.test ?? "",
    })),
  );
  const [one, ...others] = tapes.filter(({ folder, old }) => old === from || folder === resolve(from));
  const ofFile = tapes.filter(({ old }) => divideName(old)[0] === from);
  if (others.length > 0 || !(one || ofFile.length > 0)) {
    const whole = `${from} is not the whole name of one test, the folder of its tape, or a file of tests`;
    throw new CommandFailure(`${whole}. ${commandLine("show")} lists the tapes.`, misused);
  }
  const moves = one
    ? [{ ...one, test: to }]
    : ofFile.map(({ folder, old }) => ({ folder, old, test: to + old.slice(from.length) }));
  const folders = await moveTapes(root, moves);
  for (const [index, { old, test }] of moves.entries()) {
    const moved = `"${old}" is now "${test}": ${relative(process.cwd(), folders[index] ?? "")}`;
    io.stdout.write(`${printable(moved)}\n`);
  }
}

export function addTapeMoveCommand(program: Command, io: CommandIo): void {
  program
    .command("move")
    .description("keep the tape of a test that was renamed, or those of a file of tests")
    .argument(
      "<from>",
      "the old name of the test, such as 'trip.test.ts > books a trip', the folder of its tape, or a file",
    )
    .argument("<to>", "the new name of the test, or of the file, with all of whose tests it moves")
    .option("--tapes <dir>", "folder of the tapes (default: tapes, or that of tapedeck.config.json)")
    .action((from: string, to: string, flags) => explainingTapes(() => move(from, to, flags, io)));
}
