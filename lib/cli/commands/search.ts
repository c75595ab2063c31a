import type { Command } from "commander";
import { syncHostedIndex } from "#lib/discovery/search/index";
import { systemClock } from "#lib/platform/clock";
import { config } from "#lib/platform/config";
import { AppError } from "#lib/platform/errors";
import { log } from "#lib/platform/log";
import { catalogue } from "#lib/replay/cassettes/index";
import { CommandFailure, misused } from "../failure";
import type { CommandIo } from "../io";
import { withDatabase } from "../launcher/open-database";

const syncHelp = `
Updates the Upstash Search index with the cassettes of all sites, the pages, and the vendors that everyone sees: sends what
changed, deletes what is gone. Without DATABASE_URL, its vendors stay as they are. Instances do this when they start. Run it
after a deployment to have the index updated before the first search.

Exit codes: 0 the index is up to date, 1 it is not, 2 no hosted search is configured.`;

/** Syncs with the vendors of the database if one is configured; does not start the embedded one. */
async function sync() {
  const context = { catalogue: catalogue(), clock: systemClock, log: log() };
  if (config().DATABASE_URL === undefined) return syncHostedIndex(context);
  return withDatabase((database) => syncHostedIndex({ ...context, database }));
}

export function addSearchCommand(program: Command, io: CommandIo): void {
  const search = program.command("search").description("manage the hosted search index");
  search
    .command("sync")
    .description("update the hosted search index with the current cassettes, pages and vendors")
    .option("--json", "print JSON")
    .addHelpText("after", syncHelp)
    .action(async ({ json = false }: { json?: boolean }) => {
      try {
        const done = await sync();
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
