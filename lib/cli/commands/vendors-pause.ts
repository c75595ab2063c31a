import type { Command } from "commander";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { type ManageContext, pauseVendor, resumeVendor } from "#lib/tracking/vendors/index";
import { explainingFailures } from "../app-failure";
import { withDatabase } from "../launcher/with-database";

type Verb = (context: ManageContext, input: { slug: string }) => Promise<void>;

function act(verb: Verb, done: string) {
  return async (slug: string) => {
    const context = { clock: systemClock, ids: systemIds };
    await withDatabase((database) => explainingFailures(() => verb({ ...context, database }, { slug })));
    process.stdout.write(`${slug} ${done}.\n`);
  };
}

export function addPauseCommands(vendors: Command): void {
  vendors
    .command("pause")
    .description("stop fetching a vendor; its history stays")
    .argument("<slug>", "the vendor")
    .action(act(pauseVendor, "is paused"));
  vendors
    .command("resume")
    .description("fetch a paused vendor again, from the next run on")
    .argument("<slug>", "the vendor")
    .action(act(resumeVendor, "is active again"));
}
