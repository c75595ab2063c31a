import type { Command } from "commander";
import { getHistory } from "#lib/tracking/vendors/index";
import { explainingFailures } from "../app-failure";
import { withDatabase } from "../launcher/with-database";
import { parseLimit } from "../parse-limit";
import { fetchLine, findingLine, statusLine, vendorLine } from "../vendor-lines";

export function addVendorHistoryCommand(vendors: Command): void {
  vendors
    .command("history")
    .description("what came of each fetch of a vendor, and how its status changed; the newest first")
    .argument("<slug>", "the vendor")
    .option("--limit <count>", "how many of each", parseLimit(1_000), 20)
    .option("--json", "print JSON")
    .action(async (slug: string, { limit, json }: { limit: number; json?: boolean }) => {
      const history = await withDatabase((database) =>
        explainingFailures(() => getHistory({ database }, { slug, limit })),
      );
      if (json) {
        process.stdout.write(`${JSON.stringify(history, null, 2)}\n`);
        return;
      }
      const { vendor, securityFindings, fetches, statusChanges } = history;
      process.stdout.write(vendorLine(vendor));
      process.stdout.write(`${vendor.llmsTxtUrl}\nnext fetch ${vendor.nextFetchAt.toISOString()}\n`);
      if (securityFindings.length > 0) {
        const score = vendor.latestSnapshot?.securityScore;
        process.stdout.write(`\nSecurity score ${score} of 5\n${securityFindings.map(findingLine).join("")}`);
      }
      if (statusChanges.length > 0) process.stdout.write(`\nStatus\n${statusChanges.map(statusLine).join("")}`);
      process.stdout.write(`\nFetches\n${fetches.map(fetchLine).join("") || "none yet\n"}`);
    });
}
