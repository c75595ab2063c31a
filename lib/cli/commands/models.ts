import { readFileSync, writeFileSync } from "node:fs";
import type { Command } from "commander";
import { buildCatalogue, serializeCatalogue } from "#lib/models/build-catalogue";
import { CommandFailure } from "../failure";
import type { CommandIo } from "../io";

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new CommandFailure(`${file} cannot be read as JSON: ${(cause as Error).message}.`);
  }
}

/** Makes the bundled catalogue. It is for maintainers. */
export function addModelsCommand(program: Command, io: CommandIo): void {
  program
    .command("models")
    .description("make the bundled catalogue of models")
    .command("build")
    .description("make it from the data of modeldeprecations.dev and models.dev")
    .argument("<lifecycle.json>", "models with their dates")
    .argument("<prices.json>", "prices and limits by provider")
    .requiredOption("--prices-read <day>", "day on which the prices were read")
    .option("--out <file>", "the catalogue", "content/models/catalogue.json")
    .action((lifecycle: string, prices: string, { pricesRead, out }: { pricesRead: string; out: string }) => {
      const catalogue = buildCatalogue(readJson(lifecycle), readJson(prices), pricesRead);
      writeFileSync(out, serializeCatalogue(catalogue));
      io.stdout.write(`${out}: ${catalogue.models.length} models, read until ${catalogue.read}\n`);
    });
}
