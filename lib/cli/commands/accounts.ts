import type { Command } from "commander";
import { deleteAccount, exportAccount, listAccounts } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { encryptionKeys } from "#lib/platform/encryption";
import { formatCount } from "#lib/platform/format-count";
import { readAddress } from "#lib/tracking/digests/index";
import { parseAccount } from "../arguments";
import { type CommandIo, writeJson } from "../io";
import { withDatabase } from "../launcher/open-database";

export function addAccountsCommand(program: Command, io: CommandIo): void {
  const accounts = program.command("accounts").description("list, export and delete accounts");
  addListCommand(accounts, io);
  addExportCommand(accounts, io);
  addDeleteCommand(accounts, io);
}

type ListedAccount = Awaited<ReturnType<typeof listAccounts>>[number];

const day = (date: Date) => date.toISOString().slice(0, 10);

function paymentOf({ subscription }: ListedAccount): string {
  if (!subscription) return "-";
  const { status, cancelAtPeriodEnd, currentPeriodEnd } = subscription;
  return cancelAtPeriodEnd && currentPeriodEnd ? `${status}, ends ${day(currentPeriodEnd)}` : status;
}

const columns = ([id, tier, keys, payment, customer, since, label]: readonly string[]) =>
  `${id?.padEnd(36)}  ${tier?.padEnd(15)}  ${keys?.padStart(4)}  ${payment?.padEnd(23)}  ${customer?.padEnd(18)}  ${since?.padEnd(10)}  ${label}`.trimEnd();

function lineOf(account: ListedAccount): string {
  const { id, tier, label, keyCount, createdAt, subscription } = account;
  const customer = subscription?.customerId ?? "-";
  return columns([id, tier, String(keyCount), paymentOf(account), customer, day(createdAt), label ?? ""]);
}

function addListCommand(accounts: Command, io: CommandIo): void {
  accounts
    .command("list")
    .description("list the accounts with their keys that work and their payments, newest first, at most 1,000")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const listed = await withDatabase((database) => listAccounts({ database, clock: systemClock }));
      if (json) return writeJson(io, listed);
      const header = columns(["ACCOUNT", "TIER", "KEYS", "PAYMENT", "CUSTOMER", "SINCE", "LABEL"]);
      io.stdout.write(`${[header, ...listed.map(lineOf)].join("\n")}\n`);
    });
}

function addExportCommand(accounts: Command, io: CommandIo): void {
  accounts
    .command("export")
    .description("print what is stored of an account as JSON, without secrets; addresses need ENCRYPTION_KEYS")
    .argument("<account>", "the account's id", parseAccount)
    .action(async (accountId: string) => {
      const keys = encryptionKeys() ?? [];
      const account = await withDatabase((database) => exportAccount({ database }, { accountId }));
      const digests = account.digests.map(({ contact, ...digest }) => {
        return { ...digest, address: readAddress(keys, digest.id, contact) };
      });
      writeJson(io, { ...account, digests });
    });
}

type DeleteOptions = { dryRun?: boolean; force?: boolean; json?: boolean };

function addDeleteCommand(accounts: Command, io: CommandIo): void {
  accounts
    .command("delete")
    .description("delete an account with its keys and all that is stored of it")
    .argument("<account>", "the account's id", parseAccount)
    .option("--dry-run", "only count what would be deleted")
    .option("--force", "also while its subscription runs")
    .option("--json", "print JSON")
    .action(async (accountId: string, { dryRun = false, force = false, json }: DeleteOptions) => {
      const input = { accountId, isDryRun: dryRun, isForced: force };
      const { customerId, deleted } = await withDatabase((database) =>
        deleteAccount({ database, clock: systemClock }, input),
      );
      if (json) return writeJson(io, { accountId, isDryRun: dryRun, customerId, deleted });
      const { keys, vendors, webhooks, digests } = deleted;
      const parts = [
        formatCount(keys, "key"),
        formatCount(vendors, "vendor"),
        formatCount(webhooks, "webhook"),
        formatCount(digests, "digest"),
      ];
      io.stdout.write(`${dryRun ? "Would delete" : "Deleted"} account ${accountId}, with ${parts.join(", ")}.\n`);
      if (customerId) io.stderr.write(`The payment provider has the customer ${customerId}. Delete it there too.\n`);
    });
}
