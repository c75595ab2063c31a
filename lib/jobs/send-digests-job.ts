import { mailSettings } from "#lib/platform/mail/index";
import { minuteMs } from "#lib/platform/time";
import { sendDigests } from "#lib/tracking/digests/index";
import type { CronJob } from "./job";

export const sendDigestsJob: CronJob = {
  name: "send-digests",
  description: "mails the changes that are due, and retries mails that failed",
  everyMs: minuteMs,
  budgetMs: 4 * minuteMs,
  callsInternet: false,
  run: ({ database, clock, ids, log, deadlineMs, signal }) =>
    sendDigests({ database, clock, ids, log }, { deadlineMs, signal }),
  isConfigured: (settings) => mailSettings(settings) !== undefined,
};
