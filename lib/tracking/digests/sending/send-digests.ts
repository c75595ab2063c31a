import type { Context } from "#lib/platform/context";
import { DecryptionError, type EncryptionKeys, encryptionKeys } from "#lib/platform/encryption";
import { createMailer, MailError, type Mailer, type MailSettings, mailSettings } from "#lib/platform/mail/index";
import { runConcurrently } from "#lib/platform/run-concurrently";
import { hourMs, minuteMs, secondMs } from "#lib/platform/time";
import { openContact } from "../contacts";
import { digestMail, maxMailChangeCount } from "../mails/digest";
import { nextDueAt } from "../schedule";
import { digestFrequencies } from "../schemas";
import {
  type ClaimedMail,
  claimMails,
  countDueMails,
  createMails,
  disableDigest,
  finishMail,
  postponeMail,
  readMailChanges,
  skipUnchanged,
} from "./store";

/** Waits after each failed attempt. A mail whose attempt after the last wait fails is given up. */
export const mailRetryWaitsMs: readonly number[] = [
  ...[minuteMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 6 * hourMs, 12 * hourMs, 24 * hourMs],
];
/** Mails in a row that the mail server refuses for good before a digest is disabled. */
export const maxRefusedCount = 3;
/** Most mails that a run creates, and most that it sends. */
const maxMailsPerRun = 500;
/** Connections to the mail server at a time. */
const mailConcurrency = 4;
/** Longer than the longest attempt. */
const leaseMs = 2 * minuteMs;
/** Time before the end of the run in which no attempt starts: the longest attempt, and recording it. */
const attemptMs = 35 * secondMs;

export type SendContext = Context & {
  settings?: MailSettings | undefined;
  keys?: EncryptionKeys | undefined;
  mailer?: Mailer;
};

/** Result of a run, in mails; `disabled` in digests. */
export type SendSummary = {
  created: number;
  sent: number;
  /** Will be tried again. */
  retried: number;
  failed: number;
  empty: number;
  disabled: number;
  /** Due mails that there was no time for. */
  left: number;
};

type Run = Omit<SendContext, "settings" | "keys" | "mailer"> & {
  settings: MailSettings;
  keys: EncryptionKeys;
  mailer: Mailer;
  summary: SendSummary;
  /** Aborted when the mail server takes no mail at all. */
  unreachable: AbortController;
};

async function createDueMails({ database, clock, summary }: Run): Promise<void> {
  const now = clock.now();
  for (const frequency of digestFrequencies) {
    const due = { frequency, now, nextDueAt: nextDueAt(frequency, now) };
    // What was due at a fixed time without a change is over; `each` waits for the next change.
    if (frequency !== "each") await skipUnchanged(database, due);
    summary.created += await createMails(database, { ...due, limit: maxMailsPerRun });
  }
}

async function giveUp(run: Run, mail: ClaimedMail, error: MailError): Promise<void> {
  const { database, clock, log, summary } = run;
  const at = clock.now();
  const isRefused = error.kind === "refused";
  const refusedCount = await finishMail(database, mail, { status: "failed", isRefused, at });
  if (refusedCount === null) return;
  summary.failed += 1;
  log.warn({ digestId: mail.digestId, reason: error.message }, "gave up a mail of a digest");
  if (!isRefused || refusedCount < maxRefusedCount) return;
  const reason = `The mail server refused ${maxRefusedCount} mails in a row for good, the last one with status ${error.status}.`;
  await disableDigest(database, mail.digestId, at, reason);
  summary.disabled += 1;
}

async function handleFailure(run: Run, mail: ClaimedMail, error: MailError): Promise<void> {
  const { database, clock, summary, unreachable } = run;
  if (error.kind === "unreachable") unreachable.abort(error);
  const waitMs = error.kind === "refused" ? undefined : mailRetryWaitsMs[mail.attemptCount - 1];
  if (waitMs === undefined) return giveUp(run, mail, error);
  await postponeMail(database, mail, new Date(clock.now().getTime() + waitMs));
  summary.retried += 1;
}

/** Writes a mail and sends it; false if its recipient no longer sees any of its changes. Throws MailError. */
async function send({ database, settings, keys, mailer }: Run, mail: ClaimedMail): Promise<boolean> {
  const { changes, total } = await readMailChanges(database, mail.id, maxMailChangeCount);
  if (total === 0) return false;
  const { address: to, unsubscribeToken } = openContact(keys, mail.digestId, mail.contact);
  const { origin } = settings;
  const messageId = `digest.${mail.id}@${new URL(origin).hostname}`;
  const { frequency, hasAccount } = mail;
  await mailer.send(digestMail({ origin, frequency, hasAccount, changes, total, unsubscribeToken, messageId, to }));
  return true;
}

async function attempt(run: Run, mail: ClaimedMail): Promise<void> {
  const { database, clock, log, summary } = run;
  try {
    const status = (await send(run, mail)) ? "sent" : "empty";
    const refusedCount = await finishMail(database, mail, { status, at: clock.now() });
    if (refusedCount !== null) summary[status] += 1;
  } catch (error) {
    if (error instanceof MailError) return handleFailure(run, mail, error);
    if (!(error instanceof DecryptionError)) throw error;
    log.error({ digestId: mail.digestId, reason: error.message }, "could not decrypt a digest's address");
    await handleFailure(run, mail, new MailError("delayed", error.message, null));
  }
}

/**
 * Creates the mails of the digests that are due, and sends those whose attempt is due, until none is left, the deadline is
 * near, the signal is aborted or the mail server takes none. A mail is sent at least once; a run that is killed after the
 * server took it sends it again, with the same Message-ID. Does nothing if mail is not configured.
 */
export async function sendDigests(
  { settings = mailSettings(), keys = encryptionKeys(), mailer, ...context }: SendContext,
  { deadlineMs, signal }: { deadlineMs: number; signal: AbortSignal },
): Promise<SendSummary> {
  const { database, clock, ids, log } = context;
  const summary = { created: 0, sent: 0, retried: 0, failed: 0, empty: 0, disabled: 0, left: 0 };
  if (settings && !keys) log.error("mails have no addresses: ENCRYPTION_KEYS is not configured");
  if (!settings || !keys) return summary;
  const unreachable = new AbortController();
  const run = { ...context, settings, keys, mailer: mailer ?? (await createMailer(settings)), summary, unreachable };
  await createDueMails(run);
  let claimedCount = 0;
  await runConcurrently({
    take: async (limit) => {
      const now = clock.now();
      const leaseEnd = new Date(now.getTime() + leaseMs);
      const mails = await claimMails(database, { now, leaseEnd, leaseId: ids.next(), limit });
      claimedCount += mails.length;
      return mails;
    },
    work: (mail) => attempt(run, mail),
    concurrency: mailConcurrency,
    mayTake: () =>
      !signal.aborted &&
      !unreachable.signal.aborted &&
      claimedCount < maxMailsPerRun &&
      clock.monotonicMs() <= deadlineMs - attemptMs,
  });
  if (unreachable.signal.aborted)
    log.warn({ reason: unreachable.signal.reason.message }, "the mail server takes no mail");
  return { ...summary, left: await countDueMails(database, clock.now()) };
}
