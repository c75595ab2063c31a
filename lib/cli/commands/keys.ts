import { Argument, type Command, Option } from "commander";
import { createKey, type ListedKey, listKeys, revokeKey } from "#lib/accounts/keys/index";
import { type AccountTier, accountTiers } from "#lib/accounts/plans/index";
import { setTier } from "#lib/accounts/purchases/index";
import { systemClock } from "#lib/platform/clock";
import { commandLine } from "#lib/platform/command-line";
import { systemIds } from "#lib/platform/ids";
import { dayMs } from "#lib/platform/time";
import { parseAccount, parseDays } from "../arguments";
import { CommandFailure, misused } from "../failure";
import { type CommandIo, writeJson } from "../io";
import { withDatabase } from "../launcher/open-database";

type CreateOptions = { tier?: AccountTier; label?: string; account?: string; expires?: number; json?: boolean };

const help = `
Examples:
  tapedeck keys create --tier pro --label "Acme"
  tapedeck keys create --account 0198f3c2-7d4e-7c11-9a55-0d2f6c1b8e90 --expires 90 --json

The key is printed to standard output once. It is not stored and cannot be shown again.`;

export function addKeysCommand(program: Command, io: CommandIo): void {
  const keys = program.command("keys").description("create, list and revoke API keys, and change tiers");
  addCreateCommand(keys, io);
  addListCommand(keys, io);
  addTierCommand(keys, io);
  addRevokeCommand(keys, io);
}

function addTierCommand(keys: Command, io: CommandIo): void {
  keys
    .command("tier")
    .description("change the tier of an account, with all of its keys")
    .argument("<account>", "the account's id", parseAccount)
    .addArgument(new Argument("<tier>", "the new tier").choices(accountTiers))
    .option(
      "--force",
      "grant a tier above those that are sold to an account with a subscription, whose end does not end it",
    )
    .action(async (accountId: string, tier: AccountTier, { force: isForced }: { force?: boolean }) => {
      const context = { clock: systemClock, ids: systemIds };
      await withDatabase((database) => setTier({ ...context, database }, { accountId, tier, isForced }));
      io.stdout.write(`Account ${accountId} has the tier ${tier}.\n`);
    });
}

function ownerOf({ tier, label, account: accountId }: CreateOptions) {
  if (accountId !== undefined) return { accountId };
  if (tier !== undefined) return { tier, label };
  throw new CommandFailure("Pass --tier to create an account, or --account to use an existing one.", misused);
}

function addCreateCommand(keys: Command, io: CommandIo): void {
  keys
    .command("create")
    .description("create a key, with a new account or for an existing one")
    .addOption(new Option("--tier <tier>", "tier of the new account").choices(accountTiers).conflicts("account"))
    .addOption(new Option("--label <text>", "your name for the new account, which list shows").conflicts("account"))
    .option("--account <id>", "the existing account that gets the key, with its tier", parseAccount)
    .option("--expires <days>", "the key expires after this many days (default: never)", parseDays)
    .option("--json", "print JSON")
    .addHelpText("after", help)
    .action(async (options: CreateOptions) => {
      const owner = ownerOf(options);
      const { expires, json } = options;
      const expiresAt = expires === undefined ? null : new Date(systemClock.now().getTime() + expires * dayMs);
      const { key, stored } = await withDatabase((database) =>
        createKey({ database, clock: systemClock, ids: systemIds }, { ...owner, expiresAt }),
      );
      const { id, accountId, account } = stored;
      const { tier, label } = account;
      if (json) {
        writeJson(io, { key, id, accountId, tier, label, expiresAt });
        return;
      }
      const end = expiresAt ? `expires at ${expiresAt.toISOString()}` : "does not expire";
      io.stderr.write(`Key ${id} of account ${accountId} (${tier}); it ${end}. It is not shown again:\n`);
      io.stdout.write(`${key}\n`);
    });
}

/** Returns a key with its account's fields as one row. */
function rowOf({ account: { tier, label }, ...key }: ListedKey) {
  const { id, accountId, lastFour, state, createdAt, expiresAt, rotatedAt, revokedAt } = key;
  return { id, accountId, tier, label, lastFour, state, createdAt, expiresAt, rotatedAt, revokedAt };
}

function line({ id, accountId, tier, label, lastFour, state, createdAt, expiresAt }: ReturnType<typeof rowOf>): string {
  const until = expiresAt ? ` until ${expiresAt.toISOString()}` : "";
  const owner = `${accountId}${label ? ` (${label})` : ""}`;
  return `${id}  …${lastFour}  ${tier.padEnd(15)}  ${state.padEnd(7)}  ${createdAt.toISOString().slice(0, 10)}${until}  ${owner}\n`;
}

const header = `${"KEY".padEnd(36)}  ENDS   ${"TIER".padEnd(15)}  ${"STATE".padEnd(7)}  ${"CREATED".padEnd(10)}  ACCOUNT\n`;

function addListCommand(keys: Command, io: CommandIo): void {
  keys
    .command("list")
    .description("list the keys with their accounts, newest first, at most 1,000")
    .option("--account <id>", "only the keys of this account", parseAccount)
    .option("--json", "print JSON")
    .action(async ({ account: accountId, json }: { account?: string; json?: boolean }) => {
      const listed = await withDatabase((database) => listKeys({ database, clock: systemClock }, { accountId }));
      const rows = listed.map(rowOf);
      if (json) writeJson(io, rows);
      else if (rows.length === 0) io.stdout.write(`No keys. Create one: ${commandLine("keys create --help")}\n`);
      else io.stdout.write([header, ...rows.map(line)].join(""));
    });
}

function addRevokeCommand(keys: Command, io: CommandIo): void {
  keys
    .command("revoke")
    .description("revoke a key immediately; keys it was rotated to keep working, and are listed")
    .argument("<key>", "the key's id, or its last four characters")
    .option("--json", "print JSON")
    .action(async (name: string, { json }: { json?: boolean }) => {
      const { revoked, working } = await withDatabase(async (database) => {
        const context = { database, clock: systemClock };
        const revoked = await revokeKey(context, { name });
        const others = await listKeys(context, { accountId: revoked.accountId });
        return { revoked, working: others.filter(({ state }) => state === "valid" || state === "grace") };
      });
      const { id, accountId, revokedAt } = revoked;
      const workingKeys = working.map((key) => key.id);
      if (json) {
        writeJson(io, { id, accountId, revokedAt, workingKeys });
        return;
      }
      io.stdout.write(`Revoked ${id}.\n`);
      if (workingKeys.length > 0) {
        io.stderr.write(`Account ${accountId} still has working keys: ${workingKeys.join(", ")}\n`);
      }
    });
}
