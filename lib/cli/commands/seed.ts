import type { Command } from "commander";
import { type CommandIo, writeJson } from "../io";
import { withDatabase } from "../launcher/open-database";
import { seedRows } from "../seed";

type Options = { samples?: boolean; json?: boolean };

export function addSeedCommand(program: Command, io: CommandIo): void {
  program
    .command("seed")
    .description("add the sites of the fleet and the vendor catalogue; operators' changes are kept")
    .option("--samples", "also add the samples: invented vendors with 60 days of changes")
    .option("--json", "print JSON")
    .action(async ({ samples = false, json }: Options) => {
      const seeded = await withDatabase((database) => seedRows(database, { samples }));
      if (json) {
        writeJson(io, seeded);
        return;
      }
      const { added, updated, unchanged } = seeded.catalogue ?? {};
      const counts = seeded.catalogue ? `${added} added, ${updated} updated, ${unchanged} unchanged` : "off";
      io.stdout.write(`catalogue: ${counts}\n`);
      if (samples) io.stdout.write(`samples: ${seeded.sampleFetches} fetches added\n`);
    });
}
