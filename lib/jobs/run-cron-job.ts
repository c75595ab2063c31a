import { createHash, timingSafeEqual } from "node:crypto";
import { config } from "#lib/platform/config";
import { AppError } from "#lib/platform/errors";
import type { CronContext } from "./job";
import { findJob } from "./jobs/all-jobs";
import { runJob } from "./run-job";
import type { CronRunAnswer } from "./schemas";

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Of equal length whatever was sent, so that the comparison takes the same time. */
function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

function requireSecret(authorization: string | null): void {
  const { CRON_SECRET: secret } = config();
  if (secret === undefined) throw new AppError("unauthorized", "Set CRON_SECRET on the server to run jobs over HTTP.");
  if (isSame(authorization ?? "", `Bearer ${secret}`)) return;
  throw new AppError("unauthorized", "Send the cron secret: Authorization: Bearer <CRON_SECRET>.");
}

/**
 * Runs a job for whoever knows the cron secret. Throws AppError unauthorized, not_found, and conflict where the job is
 * running.
 */
export async function runCronJob(
  context: CronContext,
  { params, header }: { params: { job: string }; header: (name: string) => string | null },
): Promise<CronRunAnswer> {
  requireSecret(header("authorization"));
  const { database, clock, ids, log, origin, siteUrls } = context;
  const { job, runId, summary } = await runJob({ database, clock, ids, log, origin, siteUrls }, findJob(params.job));
  return { job, run_id: runId, summary };
}
