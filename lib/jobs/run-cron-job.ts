import { createHash, timingSafeEqual } from "node:crypto";
import { config } from "#lib/platform/config";
import { AppError } from "#lib/platform/errors";
import { findJob } from "./all-jobs";
import type { CronContext } from "./job";
import { runJob } from "./run-job";
import type { CronRunAnswer } from "./schemas";

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Compares hashes, which have equal length, in constant time. */
function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

function requireSecret(authorization: string | null): void {
  const { CRON_SECRET: secret } = config();
  if (secret === undefined) throw new AppError("unauthorized", "Set CRON_SECRET on the server to run jobs over HTTP.");
  if (isSame(authorization ?? "", `Bearer ${secret}`)) return;
  throw new AppError("unauthorized", "Send the cron secret: Authorization: Bearer <CRON_SECRET>.");
}

/** Runs a job over HTTP. Throws AppError unauthorized without the cron secret, not_found, and conflict if it is running. */
export async function runCronJob(
  context: CronContext,
  { params, header }: { params: { job: string }; header: (name: string) => string | null },
): Promise<CronRunAnswer> {
  requireSecret(header("authorization"));
  const { database, clock, ids, log, origin, siteUrls } = context;
  const { job, runId, summary } = await runJob({ database, clock, ids, log, origin, siteUrls }, findJob(params.job));
  return { job, run_id: runId, summary };
}
