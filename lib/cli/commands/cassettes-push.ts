import { resolve } from "node:path";
import type { Command } from "commander";
import { config } from "#lib/platform/config";
import {
  blobSettings,
  folderStore,
  type Pushed,
  pushCassettes,
  StoreUnavailableError,
} from "#lib/replay/cassettes/index";
import { parseId } from "../arguments";
import { sizeText } from "../cassette-files";
import { CommandFailure, misused } from "../failure";
import { type CommandIo, writeJson } from "../io";

type Options = { dryRun?: boolean; json?: boolean };

const help = `
Uploads cassettes and sequences.json from CASSETTE_DIR to the Blob store of BLOB_READ_WRITE_TOKEN, under CASSETTE_BLOB_PREFIX and with
CASSETTE_BLOB_ACCESS. Each is verified first. Files that are already there, byte for byte, are not uploaded again.

Examples:
  tapedeck cassettes push
  tapedeck cassettes push legal/nda-review finance/bonds --dry-run

Exit codes: 0 all are in the store, 1 some are not, 2 wrong usage or no token.`;

function describe({ id, outcome, byteSize, reason }: Pushed): string {
  return `${outcome.padEnd(10)}  ${id}${reason === null ? `  (${sizeText(byteSize)})` : `: ${reason}`}\n`;
}

async function push(ids: string[], { dryRun = false, json }: Options, io: CommandIo): Promise<void> {
  const blob = blobSettings(config());
  if (!blob) {
    const message = "There is no Blob store to push to: BLOB_READ_WRITE_TOKEN is not set.";
    throw new CommandFailure(`${message} Vercel shows it under Storage, in the store's settings.`, misused);
  }
  const source = folderStore(resolve(config().CASSETTE_DIR));
  const all: Pushed[] = [];
  for await (const pushed of pushCassettes({ source, blob }, { ids, dryRun })) {
    all.push(pushed);
    if (!json) io.stdout.write(describe(pushed));
  }
  if (json) writeJson(io, all);
  const failures = all.filter(({ outcome }) => outcome === "failed").length;
  if (failures > 0) throw new CommandFailure(`${failures} of ${all.length} files were not pushed.`);
}

export function addPushCommand(cassettes: Command, io: CommandIo): void {
  cassettes
    .command("push")
    .description("upload the cassettes of the folder to Vercel Blob")
    .argument(
      "[ids...]",
      "<folder>/<slug> of each; without any, all, and sequences.json",
      (id, list: string[] = []) => [...list, parseId(id)],
    )
    .option("--dry-run", "show what would be pushed, without pushing it")
    .option("--json", "print JSON")
    .addHelpText("after", help)
    .action(async (ids: string[], options: Options) => {
      try {
        await push(ids, options, io);
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        throw new CommandFailure(
          `${error.message}: ${(error.cause as Error | undefined)?.message ?? "no reason given"}`,
        );
      }
    });
}
