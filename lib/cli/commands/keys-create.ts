import { type Command, Option } from "commander";
import { createKey } from "#lib/accounts/keys/index";
import { type AccountTier, accountTiers } from "#lib/accounts/plans/index";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { dayMs } from "#lib/platform/time";
import { CommandFailure, misused } from "../failure";
import { parseAccount, parseDays } from "../key-options";
import { withDatabase } from "../launcher/with-database";

type Options = { tier?: AccountTier; label?: string; account?: string; expires?: number; json?: boolean };

const help = `
Examples:
  tapedeck keys create --tier pro --label "Acme"
  tapedeck keys create --account 0198f3c2-7d4e-7c11-9a55-0d2f6c1b8e90 --expires 90 --json

The key goes to standard output, this once; nothing keeps it.`;

function ownerOf({ tier, label, account: accountId }: Options) {
  if (accountId !== undefined) return { accountId };
  if (tier !== undefined) return { tier, label };
  throw new CommandFailure("Give --tier for a new account, or --account for one that is there.", misused);
}

export function addCreateKeyCommand(keys: Command): void {
  keys
    .command("create")
    .description("make a key, with a new account or for one that is there")
    .addOption(new Option("--tier <tier>", "tier of the new account").choices(accountTiers).conflicts("account"))
    .addOption(new Option("--label <text>", "what you call the new account").conflicts("account"))
    .option("--account <id>", "the account that gets a further key, with its tier", parseAccount)
    .option("--expires <days>", "the key stops working after so many days (default: never)", parseDays)
    .option("--json", "print JSON")
    .addHelpText("after", help)
    .action(async (options: Options) => {
      const owner = ownerOf(options);
      const { expires, json } = options;
      const expiresAt = expires === undefined ? null : new Date(systemClock.now().getTime() + expires * dayMs);
      const { key, stored } = await withDatabase((database) =>
        createKey({ database, clock: systemClock, ids: systemIds }, { ...owner, expiresAt }),
      );
      const { id, accountId, account } = stored;
      const { tier, label } = account;
      if (json) {
        process.stdout.write(`${JSON.stringify({ key, id, accountId, tier, label, expiresAt }, null, 2)}\n`);
        return;
      }
      const end = expiresAt ? `works until ${expiresAt.toISOString()}` : "does not expire";
      process.stderr.write(`Key ${id} of account ${accountId} (${tier}); it ${end}. It is not shown again:\n`);
      process.stdout.write(`${key}\n`);
    });
}
