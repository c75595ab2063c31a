import type { Command } from "commander";
import { fetchVendorsJob, fetchVendorsWork, runJob } from "#lib/jobs/index";
import { requireFetchable } from "#lib/tracking/vendors/index";
import { explainingFailures } from "../app-failure";
import { cronContext } from "../cron-context";
import { CommandFailure } from "../failure";
import { withDatabase } from "../launcher/with-database";
import { stopSignal } from "../stop-signal";

export function addFetchVendorsCommand(vendors: Command): void {
  vendors
    .command("fetch")
    .description("fetch vendors now, due or not; it counts as a run of fetch-vendors")
    .argument("<slug...>", "the vendors")
    .option("--json", "print JSON")
    .action(async (slugs: string[], { json }: { json?: boolean }) => {
      const outcomes: Record<string, string> = {};
      const summary = await withDatabase((database) =>
        explainingFailures(async () => {
          await requireFetchable(database, slugs);
          const work = fetchVendorsWork({
            slugs: [...new Set(slugs)],
            onOutcome: ({ slug }, outcome) => {
              outcomes[slug] = outcome;
              if (!json) process.stdout.write(`${slug.padEnd(24)}  ${outcome}\n`);
            },
          });
          const options = { signal: stopSignal(), work };
          return (await runJob(cronContext(database), fetchVendorsJob, options)).summary;
        }),
      );
      if (json) process.stdout.write(`${JSON.stringify({ outcomes, summary }, null, 2)}\n`);
      const { failed = 0 } = summary;
      if (failed > 0) throw new CommandFailure(`${failed} failed; tapedeck vendors history <slug> says why.`);
    });
}
