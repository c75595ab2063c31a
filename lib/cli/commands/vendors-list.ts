import { type Command, Option } from "commander";
import { listOperatorVendors, type VendorStatus, vendorStatuses } from "#lib/tracking/vendors/index";
import { withDatabase } from "../launcher/with-database";
import { vendorLine } from "../vendor-lines";

type Options = { status?: VendorStatus; json?: boolean };

export function addListVendorsCommand(vendors: Command): void {
  vendors
    .command("list")
    .description("every vendor, with its status and its last good fetch")
    .addOption(new Option("--status <status>", "only those").choices(vendorStatuses))
    .option("--json", "print JSON")
    .action(async ({ status, json }: Options) => {
      const rows = await withDatabase((database) => listOperatorVendors({ database }, { status }));
      if (json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
      else if (rows.length === 0) process.stdout.write("No vendors. Bring the catalogue in: tapedeck seed\n");
      else for (const row of rows) process.stdout.write(vendorLine(row));
    });
}
