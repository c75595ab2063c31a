import { AppError } from "#lib/platform/errors";
import { requireVendor } from "./get-history";
import type { ManageContext } from "./import-vendors";
import { writeStatus } from "./store";

/** Stops fetching a vendor; its history stays. Throws AppError not_found. */
export async function pauseVendor({ database, clock, ids }: ManageContext, { slug }: { slug: string }): Promise<void> {
  await requireVendor(database, slug);
  const reason = "paused by an operator";
  await writeStatus(database, ids, { slug, to: "paused", from: ["active", "unreachable"], reason, now: clock.now() });
}

/** Fetches a vendor again, from now on. Throws AppError not_found, and conflict for one that is not paused. */
export async function resumeVendor({ database, clock, ids }: ManageContext, { slug }: { slug: string }): Promise<void> {
  const { status } = await requireVendor(database, slug);
  const reason = "resumed by an operator";
  const isDone = await writeStatus(database, ids, { slug, to: "active", from: ["paused"], reason, now: clock.now() });
  if (!isDone) throw new AppError("conflict", `"${slug}" is not paused: it is ${status}.`);
}
