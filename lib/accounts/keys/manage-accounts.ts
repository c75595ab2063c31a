import { type CallContext, hasSubscriptionEnded } from "#lib/accounts/plans/index";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { deleteAccountRows, findAccounts, findStoredAccount, findSubscriptionOf, lockAccount } from "./store-accounts";

type OperatorContext = Omit<CallContext, "caller">;

/** Most accounts in a list. */
const maxListedCount = 1_000;

const noAccount = (id: string) => new AppError("not_found", `There is no account ${id}.`);

/** Returns the accounts with their keys that work and their subscriptions, newest first, at most 1,000. */
export async function listAccounts({ database, clock }: OperatorContext) {
  const accounts = await findAccounts(database, { now: clock.now(), limit: maxListedCount });
  return accounts.map(({ _count, ...account }) => ({ ...account, keyCount: _count.keys }));
}

/** Returns what is stored of an account, without hashes of keys and secrets. Throws AppError not_found. */
export async function exportAccount({ database }: { database: Database }, { accountId }: { accountId: string }) {
  const account = await findStoredAccount(database, accountId);
  if (!account) throw noAccount(accountId);
  return account;
}

type Deletion = { customerId: string | null; deleted: Awaited<ReturnType<typeof deleteAccountRows>> };

/** Rolls a transaction back. */
class DryRun extends Error {
  constructor(readonly deletion: Deletion) {
    super();
  }
}

/**
 * Deletes an account with its keys and all that is stored of it, in one transaction, which a dry run rolls back. Returns the
 * number of rows, and the customer that the payment provider still has. Throws AppError not_found, and conflict while a
 * subscription runs, unless it is forced.
 */
export async function deleteAccount(
  { database, clock }: OperatorContext,
  { accountId, isDryRun = false, isForced = false }: { accountId: string; isDryRun?: boolean; isForced?: boolean },
): Promise<Deletion> {
  const work = database.$transaction(async (transaction) => {
    if (!(await lockAccount(transaction, accountId))) throw noAccount(accountId);
    const subscription = await findSubscriptionOf(transaction, accountId);
    if (subscription && !hasSubscriptionEnded(subscription, clock.now()) && !isForced) {
      const message = `The account has the subscription ${subscription.id}, which would still be charged. Cancel it at the payment provider first, or pass --force.`;
      throw new AppError("conflict", message);
    }
    const deleted = await deleteAccountRows(transaction, accountId);
    const deletion = { customerId: subscription?.customerId ?? null, deleted };
    if (isDryRun) throw new DryRun(deletion);
    return deletion;
  });
  return work.catch((error: unknown) => {
    if (error instanceof DryRun) return error.deletion;
    throw error;
  });
}
