import type { Command } from "commander";
import { cassetteJsonSchema } from "#lib/replay/cassettes/schemas";

export function addSchemaCommand(cassettes: Command): void {
  cassettes
    .command("schema")
    .description("print the JSON Schema of the cassette format, as published at /schemas/cassette-1.schema.json")
    .action(() => {
      process.stdout.write(`${JSON.stringify(cassetteJsonSchema(), null, 2)}\n`);
    });
}
