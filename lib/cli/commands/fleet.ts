import path from "node:path";
import type { Command } from "commander";
import { currentSite } from "#lib/contract/sites";
import { systemClock } from "#lib/platform/clock";
import { config } from "#lib/platform/config";
import { dataFolder } from "#lib/platform/database/paths";
import { verifyFleet } from "#lib/replay/sites/index";
import { lockHolder } from "../../platform/processes.mjs";
import { CommandFailure } from "../failure";
import { type CommandIo, writeJson } from "../io";
import { withDatabase } from "../launcher/open-database";

type Options = { origin?: string; json?: boolean };

/** Returns the address of the server that `up` or `dev` runs with this data folder; undefined if none runs. */
function runningServer(): string | undefined {
  const address = lockHolder(path.join(dataFolder(), "launcher.lock"))?.address;
  return typeof address === "string" ? address : undefined;
}

export function addFleetCommand(program: Command, io: CommandIo): void {
  const fleet = program.command("fleet").description("check the sites of the fleet");
  fleet
    .command("verify")
    .description("check the health of every member and store the result; the manifest leaves out members that are down")
    .option("--origin <origin>", "origin of this site (default: BASE_URL, else that of the running server)")
    .option("--json", "print JSON")
    .action(async ({ origin, json }: Options) => {
      const { BASE_URL, PORT, SITE, SITE_URLS: siteUrls = {} } = config();
      const originUrl = new URL(origin ?? BASE_URL ?? runningServer() ?? `http://127.0.0.1:${PORT}`);
      const site = currentSite(originUrl.hostname, { siteUrls, siteSlug: SITE });
      const checks = await withDatabase((database) =>
        verifyFleet({ origin: originUrl.origin, site, siteUrls, clock: systemClock, database }),
      );
      if (json) writeJson(io, checks);
      for (const { slug, address, status, error } of json ? [] : checks) {
        io.stdout.write(`${status.padEnd(4)}  ${slug.padEnd(16)}  ${address}${error ? `  (${error})` : ""}\n`);
      }
      if (checks.every(({ status }) => status === "down"))
        throw new CommandFailure(
          `No site answers at ${originUrl.origin}, so nothing was stored. Start the server, or name its address with --origin.`,
        );
      const down = checks.filter(({ status }) => status === "down").length;
      if (down > 0) throw new CommandFailure(`${down} of ${checks.length} members are down.`);
    });
}
