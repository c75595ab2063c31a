import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { parse } from "yaml";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { exportVendors, importVendors, type VendorFile, vendorFileSchema } from "#lib/tracking/vendors/index";
import { explainingFailures } from "../app-failure";
import { CommandFailure, misused } from "../failure";
import { withDatabase } from "../launcher/with-database";

/** Problems that are told of a file at once. */
const maxProblemCount = 20;

const help = `
The file is JSON or YAML, as tapedeck vendors export writes it:
  {"vendors": [{"name": "Example", "slug": "example", "domain": "example.com", "category": "developer-tools",
                "llms_txt_url": "https://docs.example.com/llms.txt"}]}

All of it comes in, or nothing. A vendor whose address changes is fetched anew; nobody is removed.`;

async function readText(file: string): Promise<string> {
  try {
    return file === "-" ? await text(process.stdin) : readFileSync(file, "utf8");
  } catch (error) {
    throw new CommandFailure(`${file} cannot be read: ${(error as Error).message}`, misused);
  }
}

function parseText(content: string, file: string): unknown {
  try {
    return parse(content, { maxAliasCount: 0 });
  } catch (error) {
    throw new CommandFailure(`${file} is neither JSON nor YAML: ${(error as Error).message}`, misused);
  }
}

async function readVendorFile(file: string): Promise<VendorFile> {
  const result = vendorFileSchema.safeParse(parseText(await readText(file), file));
  if (result.success) return result.data;
  const { issues } = result.error;
  const problems = issues
    .slice(0, maxProblemCount)
    .map(({ path, message }) => `  ${path.join(".") || "file"}: ${message}`);
  const more = issues.length > maxProblemCount ? `\n  and ${issues.length - maxProblemCount} more` : "";
  throw new CommandFailure(`${file} cannot be used; nothing was changed:\n${problems.join("\n")}${more}`, misused);
}

export function addVendorFileCommands(vendors: Command): void {
  vendors
    .command("import")
    .description("add the vendors of a file, and change those that are there")
    .argument("<file>", "the file, or - for standard input")
    .option("--json", "print JSON")
    .addHelpText("after", help)
    .action(async (file: string, { json }: { json?: boolean }) => {
      const { vendors: given } = await readVendorFile(file);
      const context = { clock: systemClock, ids: systemIds };
      const written = await withDatabase((database) =>
        explainingFailures(() => importVendors({ ...context, database }, { vendors: given, origin: "operator" })),
      );
      const { added, updated, unchanged } = written;
      if (json) process.stdout.write(`${JSON.stringify(written, null, 2)}\n`);
      else process.stdout.write(`${added.length} added, ${updated.length} changed, ${unchanged.length} as before\n`);
    });
  vendors
    .command("export")
    .description("print every vendor but the samples, as import takes them")
    .action(async () => {
      const file = await withDatabase((database) => exportVendors({ database }));
      process.stdout.write(`${JSON.stringify(file, null, 2)}\n`);
    });
}
