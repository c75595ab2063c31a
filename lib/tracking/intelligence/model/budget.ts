import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import type { Log } from "#lib/platform/log";
import { processSingleton } from "#lib/platform/process-singleton";
import { correctTokens, reserveTokens } from "./store";

/** Tokens that were set aside on a UTC day. */
export type Reservation = { day: Date; tokens: number };

type BudgetContext = { database: Database; clock: Clock; log: Log };

const told = processSingleton("model-budget", () => ({ days: new Set<string>() }));

/** Says once for each day and process that there are no tokens left. */
function tellOnce({ log }: BudgetContext, day: Date, tokensPerDay: number): void {
  const name = day.toISOString().slice(0, 10);
  if (told.days.has(name)) return;
  told.days.add(name);
  log.warn({ day: name, tokensPerDay }, "the day's tokens for analyses are used up; the rules write the reports");
}

/** Sets tokens of today aside before they are spent; null where the day has not that many left. */
export async function reserve(
  context: BudgetContext,
  tokens: number,
  tokensPerDay: number,
): Promise<Reservation | null> {
  const day = new Date(context.clock.now().toISOString().slice(0, 10));
  if (await reserveTokens(context.database, day, tokens, tokensPerDay)) return { day, tokens };
  tellOnce(context, day, tokensPerDay);
  return null;
}

/** Counts what was spent in place of what was set aside. */
export async function settle({ database }: BudgetContext, { day, tokens }: Reservation, spent: number): Promise<void> {
  if (spent !== tokens) await correctTokens(database, day, spent - tokens);
}
