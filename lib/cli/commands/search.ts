import type { Command } from "commander";
import { syncHostedIndex } from "#lib/discovery/search/index";
import { AppError } from "#lib/platform/errors";
import { log } from "#lib/platform/log";
import { catalogue } from "#lib/replay/cassettes/index";
import { CommandFailure, misused } from "../failure";

const help = `
Brings the Upstash Search index to the cassettes and pages of all sites: what changed is sent, what is gone is deleted.
Instances do this by themselves when they start; run it after a deploy to have it done before the first search.

Exit codes: 0 the index is current, 1 it is not, 2 no hosted search is configured.`;

async function sync({ json = false }: { json?: boolean }): Promise<void> {
  try {
    const done = await syncHostedIndex({ catalogue: catalogue(), log: log() });
    const { passageCount, upsertedCount, deletedCount, unchangedCount } = done;
    const line = `${passageCount} passages: ${upsertedCount} sent, ${unchangedCount} unchanged, ${deletedCount} deleted.`;
    process.stdout.write(json ? `${JSON.stringify(done)}\n` : `${line}\n`);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const isConfigured = error.cause !== undefined;
    throw new CommandFailure(error.message, isConfigured ? undefined : misused);
  }
}

export function addSearchCommand(program: Command): void {
  program
    .command("search")
    .description("look after the hosted search index")
    .command("sync")
    .description("bring the hosted search index to the current cassettes and pages")
    .option("--json", "print JSON")
    .addHelpText("after", help)
    .action(sync);
}
