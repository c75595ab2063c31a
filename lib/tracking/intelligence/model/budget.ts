import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import type { Log } from "#lib/platform/log";
import { processSingleton } from "#lib/platform/process-singleton";
import { correctTokens, reserveTokens } from "./store";

/** Tokens reserved on a UTC day. */
export type Reservation = { day: Date; tokens: number };

type BudgetContext = { database: Database; clock: Clock; log: Log };

/** Returns the UTC day of a time, as its midnight. */
export function dayOf(at: Date): Date {
  return new Date(at.toISOString().slice(0, 10));
}

const warned = processSingleton("model-budget", () => ({ days: new Set<string>() }));

/** Logs once per day and process that no tokens are left. */
function warnOnce({ log }: BudgetContext, day: Date, tokensPerDay: number): void {
  const name = day.toISOString().slice(0, 10);
  if (warned.days.has(name)) return;
  warned.days.add(name);
  log.warn({ day: name, tokensPerDay }, "the day's tokens for analyses are used up; the rules write the reports");
}

/** Reserves tokens of today before they are spent; null if fewer are left. */
export async function reserve(
  context: BudgetContext,
  tokens: number,
  tokensPerDay: number,
): Promise<Reservation | null> {
  const day = dayOf(context.clock.now());
  if (await reserveTokens(context.database, day, tokens, tokensPerDay)) return { day, tokens };
  warnOnce(context, day, tokensPerDay);
  return null;
}

/** Replaces a reservation by the tokens that were spent. */
export async function settle({ database }: BudgetContext, { day, tokens }: Reservation, spent: number): Promise<void> {
  if (spent !== tokens) await correctTokens(database, day, spent - tokens);
}
