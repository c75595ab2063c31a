import type { Command } from "commander";
import { type ListedKey, listKeys } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { parseAccount } from "../key-options";
import { withDatabase } from "../launcher/with-database";

type Options = { account?: string; json?: boolean };

/** A key as a row of the list, its account's facts beside it. */
function rowOf({ account: { tier, label }, ...key }: ListedKey) {
  const { id, accountId, lastFour, state, createdAt, expiresAt, rotatedAt, revokedAt } = key;
  return { id, accountId, tier, label, lastFour, state, createdAt, expiresAt, rotatedAt, revokedAt };
}

function line({ id, accountId, tier, label, lastFour, state, createdAt, expiresAt }: ReturnType<typeof rowOf>): string {
  const until = expiresAt ? ` until ${expiresAt.toISOString()}` : "";
  const owner = `${accountId}${label ? ` (${label})` : ""}`;
  return `${id}  …${lastFour}  ${tier.padEnd(15)}  ${state.padEnd(7)}  ${createdAt.toISOString().slice(0, 10)}${until}  ${owner}\n`;
}

export function addListKeysCommand(keys: Command): void {
  keys
    .command("list")
    .description("list the keys with their accounts, the newest first; a thousand at most")
    .option("--account <id>", "only the keys of this account", parseAccount)
    .option("--json", "print JSON")
    .action(async ({ account: accountId, json }: Options) => {
      const listed = await withDatabase((database) => listKeys({ database, clock: systemClock }, { accountId }));
      const rows = listed.map(rowOf);
      if (json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
      else if (rows.length === 0) process.stdout.write("No keys. Make one: tapedeck keys create --help\n");
      else for (const row of rows) process.stdout.write(line(row));
    });
}
