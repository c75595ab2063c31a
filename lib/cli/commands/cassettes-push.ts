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
import { parseId, sizeText } from "../cassette-options";
import { CommandFailure, misused } from "../failure";

type Options = { dryRun?: boolean; json?: boolean };

const help = `
Cassettes come from CASSETTE_DIR and go to the Blob store of BLOB_READ_WRITE_TOKEN, under CASSETTE_BLOB_PREFIX and
with CASSETTE_BLOB_ACCESS. Each is verified first; those that are there already, byte for byte, are left alone.

Examples:
  tapedeck cassettes push
  tapedeck cassettes push legal/nda-review finance/bonds --dry-run

Exit codes: 0 all are there, 1 some are not, 2 wrong usage or no token.`;

function describe({ id, outcome, byteSize, reason }: Pushed): string {
  return `${outcome.padEnd(10)}  ${id}${reason === null ? `  (${sizeText(byteSize)})` : `: ${reason}`}\n`;
}

async function run(ids: string[], { dryRun = false, json }: Options): Promise<void> {
  const blob = blobSettings(config());
  if (!blob) {
    const message = "There is no Blob store to push to: BLOB_READ_WRITE_TOKEN is not set.";
    throw new CommandFailure(`${message} Vercel shows it under Storage, in the store's settings.`, misused);
  }
  const source = folderStore(resolve(config().CASSETTE_DIR));
  const all: Pushed[] = [];
  for await (const pushed of pushCassettes({ source, blob }, { ids, dryRun })) {
    all.push(pushed);
    if (!json) process.stdout.write(describe(pushed));
  }
  if (json) process.stdout.write(`${JSON.stringify(all, null, 2)}\n`);
  const failures = all.filter(({ outcome }) => outcome === "failed").length;
  if (failures > 0) throw new CommandFailure(`${failures} of ${all.length} cassettes were not pushed.`);
}

export function addPushCommand(cassettes: Command): void {
  cassettes
    .command("push")
    .description("put the folder's cassettes into Vercel Blob")
    .argument("[ids...]", "<vertical>/<slug> of each; without any, all", (id, list: string[] = []) => [
      ...list,
      parseId(id),
    ])
    .option("--dry-run", "say what would be pushed, and push nothing")
    .option("--json", "print JSON")
    .addHelpText("after", help)
    .action(async (ids: string[], options: Options) => {
      try {
        await run(ids, options);
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        throw new CommandFailure(
          `${error.message}: ${(error.cause as Error | undefined)?.message ?? "no reason given"}`,
        );
      }
    });
}
