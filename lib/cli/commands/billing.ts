import type { Command } from "commander";
import { problemTexts, type SyncedSubscription, syncSubscriptions } from "#lib/accounts/purchases/index";
import { systemClock } from "#lib/platform/clock";
import { AppError } from "#lib/platform/errors";
import { formatCount } from "#lib/platform/format-count";
import { systemIds } from "#lib/platform/ids";
import { log } from "#lib/platform/log";
import { CommandFailure } from "../failure";
import { type CommandIo, writeJson } from "../io";
import { withDatabase } from "../launcher/open-database";
import { withStopSignal } from "../stop-signal";

const help = `
Run it after restoring a backup, after a change of ENCRYPTION_KEYS, and when events of Stripe got lost. It makes no keys: a
customer gets one by mail. It can be stopped and run again at any time.

Exit codes: 0 all accounts are as Stripe says, 1 an account could not be set or a run was stopped.`;

type SyncOptions = { dryRun?: boolean; after?: string; json?: boolean };

/** Problems that an operator has to solve; other subscriptions of the Stripe account are none. */
const failures: SyncedSubscription["problem"][] = ["unknown_price", "second", "missing"];

const isNotable = ({ changes, problem }: SyncedSubscription) =>
  changes.length > 0 || (problem !== null && problem !== "inactive");

function lineOf({ subscriptionId, accountId, changes, problem }: SyncedSubscription): string {
  const parts = [
    accountId ? `account ${accountId}` : "",
    changes.length > 0 ? `changed: ${changes.join(", ")}` : "",
    problem ? problemTexts[problem] : "",
  ];
  return `${subscriptionId}  ${parts.filter((part) => part !== "").join("; ")}\n`;
}

const continueHint = (last: string | null) => (last ? `Continue with --after ${last}.` : "Run it again.");

async function sync({ dryRun: isDryRun = false, after, json }: SyncOptions, io: CommandIo): Promise<void> {
  const notable: SyncedSubscription[] = [];
  let visitedCount = 0;
  let last = after ?? null;
  const report = (synced: SyncedSubscription) => {
    visitedCount += 1;
    last = synced.subscriptionId;
    if (!isNotable(synced)) return;
    notable.push(synced);
    if (!json) io.stdout.write(lineOf(synced));
  };
  const { isComplete } = await withStopSignal((signal) =>
    withDatabase((database) => {
      const context = { database, clock: systemClock, ids: systemIds, log: log() };
      return syncSubscriptions(context, { after, isDryRun, signal, report });
    }),
  ).catch((error: unknown) => {
    if (!(error instanceof AppError && error.cause instanceof Error && error.code === "internal_error")) throw error;
    throw new CommandFailure(`${error.cause.message}. ${continueHint(last)}`);
  });
  const failedCount = notable.filter(({ problem }) => failures.includes(problem)).length;
  const changedCount = notable.filter(({ changes }) => changes.length > 0).length;
  const next = isComplete ? null : last;
  if (json) writeJson(io, { isDryRun, visitedCount, changedCount, failedCount, next, subscriptions: notable });
  else {
    const verb = isDryRun ? "would be changed" : "changed";
    const [visited, changed] = [formatCount(visitedCount, "subscription"), formatCount(changedCount, "account")];
    io.stdout.write(`${visited} visited, ${changed} ${verb}, ${failedCount} failed.\n`);
  }
  if (!isComplete) throw new CommandFailure(`Not all were visited. ${continueHint(next)}`);
  if (failedCount > 0) throw new CommandFailure(`${failedCount} could not be set completely; the list says why.`);
}

export function addBillingCommand(program: Command, io: CommandIo): void {
  const billing = program.command("billing").description("make the accounts of customers what Stripe says");
  billing
    .command("sync")
    .description("set tier, period and address of every account with a subscription, and recreate missing accounts")
    .option("--dry-run", "print what would be changed, and change nothing")
    .option("--after <subscription>", "visit only subscriptions older than this one, to continue a run")
    .option("--json", "print JSON")
    .addHelpText("after", help)
    .action((options: SyncOptions) => sync(options, io));
}
