import type { Command } from "commander";
import { clearMisses, findMisses, syncHostedIndex } from "#lib/discovery/search/index";
import { systemClock } from "#lib/platform/clock";
import { config } from "#lib/platform/config";
import { AppError } from "#lib/platform/errors";
import { log } from "#lib/platform/log";
import { catalogue } from "#lib/replay/cassettes/index";
import { parseLimit } from "../arguments";
import { CommandFailure, misused } from "../failure";
import { type CommandIo, writeJson } from "../io";
import { withDatabase } from "../launcher/open-database";

const syncHelp = `
Updates the Upstash Search index with the cassettes of all sites, the pages, and the vendors that everyone sees: sends what
changed, deletes what is gone. Without DATABASE_URL, its vendors stay as they are. Instances do this when they start. Run it
after a deployment to have the index updated before the first search.

Exit codes: 0 the index is up to date, 1 it is not, 2 no hosted search is configured.`;

const missesHelp = `
Lists the searches that found nothing, the most frequent first, so that you see what people look for and the site lacks: how
often, on which day last (UTC), and the words. Who searched is not stored. SEARCH_MISSES=off turns the counting off.`;

/** Syncs with the vendors of the database if one is configured; does not start the embedded one. */
async function sync() {
  const context = { catalogue: catalogue(), clock: systemClock, log: log() };
  if (config().DATABASE_URL === undefined) return syncHostedIndex(context);
  return withDatabase((database) => syncHostedIndex({ ...context, database }));
}

export function addSearchCommand(program: Command, io: CommandIo): void {
  const search = program.command("search").description("manage the hosted search index, list searches without results");
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
  search
    .command("misses")
    .description("list the searches that found nothing")
    .option("--limit <count>", "maximum number of searches", parseLimit(1_000), 50)
    .option("--clear", "delete them all instead")
    .option("--json", "print JSON")
    .addHelpText("after", missesHelp)
    .action(async ({ limit, clear, json }: { limit: number; clear?: boolean; json?: boolean }) => {
      if (clear) {
        const deleted = await withDatabase(clearMisses);
        if (json) writeJson(io, { deleted });
        else io.stdout.write(`Deleted: ${deleted}.\n`);
        return;
      }
      const found = await withDatabase((database) => findMisses(database, limit));
      const misses = found.map(({ query, count, lastDay }) => {
        return { query, count, last_day: lastDay.toISOString().slice(0, 10) };
      });
      if (json) writeJson(io, { misses });
      else if (misses.length === 0) io.stdout.write("No search without results is stored.\n");
      else
        for (const { query, count, last_day } of misses)
          io.stdout.write(`${String(count).padStart(6)}  ${last_day}  ${query}\n`);
    });
}
