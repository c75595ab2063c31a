import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { type Command, Option } from "commander";
import { parse } from "yaml";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { parseUrl } from "#lib/platform/parse-url";
import {
  addVendor,
  exportVendors,
  importVendors,
  slugOf,
  type VendorFile,
  vendorCategories,
  vendorFileSchema,
  vendorInputSchema,
} from "#lib/tracking/vendors/index";
import { parseAccount } from "../arguments";
import { CommandFailure, misused } from "../failure";
import { type CommandIo, writeJson } from "../io";
import { withDatabase } from "../launcher/open-database";

type AddOptions = {
  name: string;
  slug?: string;
  domain?: string;
  category: string;
  full?: string;
  public?: boolean;
  account?: string;
  openapi?: boolean;
};

const addHelp = `
Example:
  tapedeck vendors add https://docs.example.com/llms.txt --name "Example" --category developer-tools

The next run of fetch-vendors fetches it. To fetch it now: tapedeck vendors fetch <slug>`;

function readVendor(url: string, options: AddOptions) {
  const { name, slug = slugOf(name), domain = parseUrl(url)?.hostname ?? "", category } = options;
  const { full = null, account = null, public: isPublic = false, openapi = false } = options;
  const given = { name, slug, domain, category, llms_txt_url: url, llms_full_txt_url: full };
  const result = vendorInputSchema.safeParse({
    ...given,
    reader: openapi ? "openapi" : "llms_txt",
    public: isPublic,
    account_id: account,
  });
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`);
  throw new CommandFailure(`The vendor is not valid: ${problems.join("; ")}`, misused);
}

export function addAddCommand(vendors: Command, io: CommandIo): void {
  vendors
    .command("add")
    .description("track another vendor")
    .argument("<url>", "URL of its llms.txt, or of its OpenAPI document")
    .requiredOption("--name <name>", "name of the vendor")
    .addOption(new Option("--category <category>", "its category").choices(vendorCategories).makeOptionMandatory())
    .option("--slug <slug>", "its name in URLs (default: from the name)")
    .option("--domain <domain>", "its domain (default: the host of the URL)")
    .option("--full <url>", "URL of its llms-full.txt, which is shown but not fetched")
    .option("--openapi", "the URL is of an OpenAPI document")
    .option("--public", "include it in the free tier's feed")
    .option("--account <id>", "make it visible only to the keys of this account", parseAccount)
    .addHelpText("after", addHelp)
    .action(async (url: string, options: AddOptions) => {
      const vendor = readVendor(url, options);
      const context = { clock: systemClock, ids: systemIds };
      await withDatabase((database) => addVendor({ ...context, database }, vendor));
      io.stdout.write(`${vendor.slug}\n`);
    });
}

/** Maximum number of problems reported for a file. */
const maxProblemCount = 20;

const importHelp = `
The file is JSON or YAML, in the format of tapedeck vendors export:
  {"vendors": [{"name": "Example", "slug": "example", "domain": "example.com", "category": "developer-tools",
                "llms_txt_url": "https://docs.example.com/llms.txt"}]}

Either all of it is imported or nothing. A vendor whose URL changed is fetched again. No vendor is removed.`;

async function readText(file: string): Promise<string> {
  try {
    return file === "-" ? await text(process.stdin) : readFileSync(file, "utf8");
  } catch (error) {
    throw new CommandFailure(`${file} cannot be read: ${(error as Error).message}`, misused);
  }
}

function parseFile(content: string, file: string): unknown {
  try {
    return parse(content, { maxAliasCount: 0 });
  } catch (error) {
    throw new CommandFailure(`${file} is neither JSON nor YAML: ${(error as Error).message}`, misused);
  }
}

async function readVendorFile(file: string): Promise<VendorFile> {
  const result = vendorFileSchema.safeParse(parseFile(await readText(file), file));
  if (result.success) return result.data;
  const { issues } = result.error;
  const problems = issues
    .slice(0, maxProblemCount)
    .map(({ path, message }) => `  ${path.join(".") || "file"}: ${message}`);
  const more = issues.length > maxProblemCount ? `\n  and ${issues.length - maxProblemCount} more` : "";
  throw new CommandFailure(`${file} is not valid; nothing was changed:\n${problems.join("\n")}${more}`, misused);
}

export function addFileCommands(vendors: Command, io: CommandIo): void {
  vendors
    .command("import")
    .description("add or update the vendors of a file")
    .argument("<file>", "the file, or - for standard input")
    .option("--json", "print JSON")
    .addHelpText("after", importHelp)
    .action(async (file: string, { json }: { json?: boolean }) => {
      const { vendors: given } = await readVendorFile(file);
      const context = { clock: systemClock, ids: systemIds };
      const written = await withDatabase((database) =>
        importVendors({ ...context, database }, { vendors: given, origin: "operator" }),
      );
      const { added, updated, unchanged } = written;
      if (json) writeJson(io, written);
      else io.stdout.write(`${added.length} added, ${updated.length} updated, ${unchanged.length} unchanged\n`);
    });
  vendors
    .command("export")
    .description("print every vendor except the samples, in the format of import")
    .action(async () => writeJson(io, await withDatabase((database) => exportVendors({ database }))));
}
