type SubscriptionEnd = { status: string; cancelAtPeriodEnd: boolean; currentPeriodEnd: Date | null };

const endedStatuses: ReadonlySet<string> = new Set(["canceled", "incomplete_expired"]);

/** Returns whether a subscription has ended, so that it charges nothing any more. A failed payment does not end it. */
export function hasSubscriptionEnded(
  { status, cancelAtPeriodEnd, currentPeriodEnd }: SubscriptionEnd,
  now: Date,
): boolean {
  return endedStatuses.has(status) || (cancelAtPeriodEnd && currentPeriodEnd !== null && currentPeriodEnd <= now);
}
