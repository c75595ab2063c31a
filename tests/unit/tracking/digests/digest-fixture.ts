import { pino } from "pino";
import type { Caller } from "#lib/accounts/keys/index";
import type { AccountTier } from "#lib/accounts/plans/index";
import { systemIds } from "#lib/platform/ids";
import { createMailer } from "#lib/platform/mail/index";
import { dayMs } from "#lib/platform/time";
import { confirmDigest, createDigest, sendDigests } from "#lib/tracking/digests/index";
import type { DigestFrequency } from "#lib/tracking/digests/schemas";
import { insertReport, type NewReport } from "#lib/tracking/intelligence/store";
import { createTestDatabase } from "#tests/support/database";
import { createManualClock } from "#tests/support/fetch-context";
import { MailServer } from "#tests/support/mail-server";
import { addVendor, addVersion, reportRow, type VendorRow } from "#tests/support/vendor-rows";
import { addCaller, testKeys } from "#tests/support/webhook-receivers";

/** A Wednesday. */
export const startAt = new Date("2026-03-04T12:00:00Z");

type Reported = Partial<Pick<NewReport, "summary" | "significance" | "categories">>;

/** Sets up a database, a mail server and a manual clock. */
export async function createDigestFixture() {
  const database = await createTestDatabase();
  const { client } = database;
  const server = new MailServer();
  await server.start();
  const { clock, pass } = createManualClock(startAt);
  const logged: string[] = [];
  const log = pino({ level: "trace", base: undefined }, { write: (line: string) => void logged.push(line) });
  const { settings } = server;
  const mailer = await createMailer(settings, { answerTimeoutMs: 5_000 });
  const tools = { settings, keys: testKeys, mailer };
  const context = { database: client, clock, ids: systemIds, log, clientAddress: () => "203.0.113.7" };
  let versionCount = 0;

  /** Returns the token of the newest link of a kind in the mails to an address. */
  const tokenOf = (address: string, kind: "confirm" | "unsubscribe") => {
    const text = server.to(address).at(-1)?.text ?? "";
    const token = new RegExp(`/api/v1/digests/${kind}\\?token=([A-Za-z0-9_-]{43})(?:\\n|$)`).exec(text)?.[1];
    if (!token) throw new Error(`The last mail to ${address} has no link to ${kind}.`);
    return token;
  };
  const create = async (
    caller: Caller,
    email: string,
    frequency: DigestFrequency = "each",
    filters?: Parameters<typeof createDigest>[1]["body"]["filters"],
  ) => (await createDigest({ ...context, caller }, { body: { email, frequency, filters } }, tools)).digest;
  const confirm = (address: string) =>
    confirmDigest(context, { query: { token: tokenOf(address, "confirm") } }, testKeys);

  return {
    database,
    client,
    server,
    clock,
    pass,
    logged,
    tools,
    context,
    tokenOf,
    create,
    confirm,
    caller: (tier: AccountTier = "pro") => addCaller(client, tier, clock),
    /** Passes the time until the next time at which daily digests are due, or weekly ones. */
    passDay: () => pass(dayMs),
    /** Creates a digest and confirms it. */
    subscribe: async (...given: Parameters<typeof create>) => {
      const digest = await create(...given);
      await confirm(given[1]);
      return digest;
    },
    /** Adds a vendor with a first version. */
    vendor: async (row: VendorRow = {}) => {
      const vendor = await addVendor(client, { isPublic: true, ...row });
      await addVersion(client, vendor.slug, "# First\n", clock.now());
      return vendor;
    },
    /** Adds a change of a vendor with its report, as the analysis stores it. Returns the ids of both. */
    report: async (
      { id: vendorId, slug }: { id: string; slug: string },
      { summary = "The limit of a request is 2 MB.", significance = 4, categories = ["api-change"] }: Reported = {},
    ) => {
      versionCount += 1;
      await addVersion(client, slug, `# Version ${versionCount}\n`, clock.now());
      const diff = await client.diff.findFirstOrThrow({ where: { latestOf: { id: vendorId } } });
      const subject = { vendorId, diffId: diff.id, snapshotId: diff.currentSnapshotId, createdAt: clock.now() };
      const report = reportRow({ ...subject, summary, significance, categories });
      await insertReport(client, report);
      return report;
    },
    run: (changes: Partial<Parameters<typeof sendDigests>[0]> = {}) =>
      sendDigests(
        { ...context, ...tools, ...changes },
        { deadlineMs: clock.monotonicMs() + 3_600_000, signal: new AbortController().signal },
      ),
    close: async () => {
      await server.stop();
      await database.drop();
    },
  };
}

export type DigestFixture = Awaited<ReturnType<typeof createDigestFixture>>;
