import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { minuteMs, secondMs } from "#lib/platform/time";
import { databaseStore } from "./store";

/** Most requests that manage keys or payment and that an account can send in a minute, once its daily limit is reached. */
export const maxManagedPerMinute = 30;

type MinuteLimit = {
  /** What is counted. */
  action: string;
  accountId: string;
  limit: number;
  now: Date;
  /** What the account did, for the message: `added 10 vendors`. */
  done: string;
};

/** Counts an action of an account, by minutes of the clock. Throws AppError rate_limited with `Retry-After`. */
export async function countInMinute(
  database: Database,
  { action, accountId, limit, now, done }: MinuteLimit,
): Promise<void> {
  const minute = Math.floor(now.getTime() / minuteMs);
  const { allowed } = await databaseStore(database).take(`${action}:${minute}:account:${accountId}`, limit, now);
  if (allowed) return;
  const seconds = Math.max(1, Math.ceil(((minute + 1) * minuteMs - now.getTime()) / secondMs));
  const message = `Your account has ${done} in this minute, which is the limit. Try again in ${seconds} s.`;
  throw new AppError("rate_limited", message, { headers: { "Retry-After": String(seconds) } });
}
