import { type Command, Option } from "commander";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { parseUrl } from "#lib/platform/parse-url";
import { addVendor, vendorCategories, vendorInputSchema } from "#lib/tracking/vendors/index";
import { explainingFailures } from "../app-failure";
import { CommandFailure, misused } from "../failure";
import { parseAccount } from "../key-options";
import { withDatabase } from "../launcher/with-database";

type Options = {
  name: string;
  slug?: string;
  domain?: string;
  category: string;
  full?: string;
  public?: boolean;
  account?: string;
};

const help = `
Example:
  tapedeck vendors add https://docs.example.com/llms.txt --name "Example" --category developer-tools

It is fetched by the next run of fetch-vendors, or now: tapedeck vendors fetch <slug>`;

/** Lower-case words without accents, joined by hyphens. */
function slugOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return (plain.match(/[a-z0-9]+/g) ?? []).join("-");
}

function hostOf(url: string): string {
  return parseUrl(url)?.hostname ?? "";
}

function readVendor(url: string, options: Options) {
  const { name, slug = slugOf(name), domain = hostOf(url), category, full = null, account = null } = options;
  const given = { name, slug, domain, category, llms_txt_url: url, llms_full_txt_url: full };
  const result = vendorInputSchema.safeParse({ ...given, public: options.public ?? false, account_id: account });
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`);
  throw new CommandFailure(`This is no vendor: ${problems.join("; ")}`, misused);
}

export function addAddVendorCommand(vendors: Command): void {
  vendors
    .command("add")
    .description("track a further vendor")
    .argument("<url>", "address of its llms.txt")
    .requiredOption("--name <name>", "what it is called")
    .addOption(new Option("--category <category>", "what it is").choices(vendorCategories).makeOptionMandatory())
    .option("--slug <slug>", "its name in addresses (default: made of the name)")
    .option("--domain <domain>", "its domain (default: the host of the address)")
    .option("--full <url>", "address of its llms-full.txt, which is shown and not fetched")
    .option("--public", "show it in the free tier's feed")
    .option("--account <id>", "only the keys of this account see it", parseAccount)
    .addHelpText("after", help)
    .action(async (url: string, options: Options) => {
      const vendor = readVendor(url, options);
      const context = { clock: systemClock, ids: systemIds };
      await withDatabase((database) => explainingFailures(() => addVendor({ ...context, database }, vendor)));
      process.stdout.write(`${vendor.slug}\n`);
    });
}
