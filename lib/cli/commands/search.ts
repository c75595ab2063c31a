import type { Command } from "commander";
import { syncHostedIndex } from "#lib/discovery/search/index";
import { AppError } from "#lib/platform/errors";
import { log } from "#lib/platform/log";
import { catalogue } from "#lib/replay/cassettes/index";
import { CommandFailure, misused } from "../failure";
import type { CommandIo } from "../io";

const help = `
Updates the Upstash Search index with the cassettes and pages of all sites: sends what changed, deletes what is gone.
Instances do this when they start. Run it after a deployment to have the index updated before the first search.

Exit codes: 0 the index is up to date, 1 it is not, 2 no hosted search is configured.`;

export function addSearchCommand(program: Command, io: CommandIo): void {
  program
    .command("search")
    .description("manage the hosted search index")
    .command("sync")
    .description("update the hosted search index with the current cassettes and pages")
    .option("--json", "print JSON")
    .addHelpText("after", help)
    .action(async ({ json = false }: { json?: boolean }) => {
      try {
        const done = await syncHostedIndex({ catalogue: catalogue(), log: log() });
        const { passageCount, upsertedCount, deletedCount, unchangedCount } = done;
        const line = `${passageCount} passages: ${upsertedCount} sent, ${unchangedCount} unchanged, ${deletedCount} deleted.`;
        io.stdout.write(json ? `${JSON.stringify(done)}\n` : `${line}\n`);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        const isConfigured = error.cause !== undefined;
        throw new CommandFailure(error.message, isConfigured ? undefined : misused);
      }
    });
}
