import type { Command } from "commander";
import { listKeys, revokeKey } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { explainingFailures } from "../app-failure";
import { withDatabase } from "../launcher/with-database";

type Options = { json?: boolean };

export function addRevokeKeyCommand(keys: Command): void {
  keys
    .command("revoke")
    .description("end a key at once; keys that it was rotated to go on, and are named")
    .argument("<key>", "its id, or its last four characters")
    .option("--json", "print JSON")
    .action(async (name: string, { json }: Options) => {
      const { revoked, alive } = await withDatabase((database) =>
        explainingFailures(async () => {
          const context = { database, clock: systemClock };
          const revoked = await revokeKey(context, { name });
          const others = await listKeys(context, { accountId: revoked.accountId });
          return { revoked, alive: others.filter(({ state }) => state === "valid" || state === "grace") };
        }),
      );
      const { id, accountId, revokedAt } = revoked;
      const workingKeys = alive.map((key) => key.id);
      if (json) {
        process.stdout.write(`${JSON.stringify({ id, accountId, revokedAt, workingKeys }, null, 2)}\n`);
        return;
      }
      process.stdout.write(`Revoked ${id}.\n`);
      if (workingKeys.length > 0) {
        process.stderr.write(`Account ${accountId} still has working keys: ${workingKeys.join(", ")}\n`);
      }
    });
}
