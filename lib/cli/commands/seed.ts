import type { Command } from "commander";
import { withDatabase } from "../launcher/with-database";
import { seedRows } from "../seed";

type Options = { samples?: boolean; json?: boolean };

export function addSeedCommand(program: Command): void {
  program
    .command("seed")
    .description("bring in the sites of the family and the catalogue of vendors; what operators changed stays")
    .option("--samples", "also the sample world: invented vendors with 60 days of changes")
    .option("--json", "print JSON")
    .action(async ({ samples = false, json }: Options) => {
      const seeded = await withDatabase((database) => seedRows(database, { samples }));
      if (json) process.stdout.write(`${JSON.stringify(seeded, null, 2)}\n`);
      else {
        const { added, updated, unchanged } = seeded.catalogue;
        process.stdout.write(`catalogue: ${added} added, ${updated} brought up to date, ${unchanged} as before\n`);
        if (samples) process.stdout.write(`samples: ${seeded.sampleFetches} fetches played\n`);
      }
    });
}
