import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "#lib/platform/clock";
import { childEnvironment } from "#lib/platform/config";
import { systemIds } from "#lib/platform/ids";
import { createMailer } from "#lib/platform/mail/index";
import { hourMs } from "#lib/platform/time";
import { confirmDigest, createDigest } from "#lib/tracking/digests/index";
import { analyseAll } from "#tests/support/analyse-all";
import { isExtended } from "#tests/support/extended";
import { MailServer } from "#tests/support/mail-server";
import { sharedDatabase } from "#tests/support/shared-database";
import { addVendor, addVersion } from "#tests/support/vendor-rows";
import { addCaller, testKeys } from "#tests/support/webhook-receivers";
import { bundle, cacheFolder } from "../../lib/cli/bootstrap/command-bundle.mjs";

const readerCount = 12;
const workerFolder = join(cacheFolder, `mail-worker-${process.pid}`);
const workerFile = join(workerFolder, "mail-worker.js");
const log = pino({ level: "silent" });

const database = sharedDatabase();
const server = new MailServer();
beforeAll(async () => {
  await bundle(["tests/support/mail-worker.ts"], workerFolder);
  await server.start();
});
afterAll(async () => {
  await server.stop();
  rmSync(workerFolder, { recursive: true });
});

function startWorker(offsetMs: number): ChildProcess {
  return fork(workerFile, [database.url, server.url, String(offsetMs)], {
    env: childEnvironment({ BASE_URL: undefined, NODE_OPTIONS: undefined }),
  });
}

const readers = Array.from({ length: readerCount }, (_, index) => `reader-${index}@b.example`);

/** Adds a digest for each reader, and a change of a vendor with the report of the rules. */
async function addDigestsAndChange(): Promise<void> {
  const context = { database: database.client, clock: systemClock, ids: systemIds, log, clientAddress: () => null };
  const { settings } = server;
  const tools = { settings, keys: testKeys, mailer: await createMailer(settings) };
  for (const email of readers) {
    const caller = await addCaller(database.client);
    await createDigest({ ...context, caller }, { body: { email, frequency: "each" } }, tools);
    const [, token = ""] = /confirm\?token=([\w-]{43})/.exec(server.to(email)[0]?.text ?? "") ?? [];
    await confirmDigest(context, { query: { token } }, testKeys);
  }
  const { slug } = await addVendor(database.client, { isPublic: true, name: "Acme" });
  await addVersion(database.client, slug, "# Acme\n\n- [API](https://acme.example/api): one\n");
  await addVersion(database.client, slug, "# Acme\n\n- [API v2](https://acme.example/v2): two\n");
  await analyseAll({ ...context, signal: new AbortController().signal });
}

it("a sender that is killed before or after the server took a mail loses none, and repeats at most those being sent", async () => {
  await addDigestsAndChange();
  server.received.length = 0;
  // When to kill: before the server took the mail, after several mails, and right after it took one.
  const allMoments: ((kill: () => Promise<unknown>) => void)[] = [
    (kill) => {
      server.onRecipient = () => {
        void kill();
        return { status: 451, message: "too late" };
      };
    },
    (kill) => {
      let count = 0;
      server.onMail = async () => {
        count += 1;
        if (count >= 6) await kill();
      };
    },
    (kill) => {
      server.onMail = async () => void (await kill());
    },
  ];
  const moments = isExtended ? allMoments : allMoments.slice(2);
  let inProgress = 0;
  for (const [round, arm] of moments.entries()) {
    server.onRecipient = () => null;
    server.onMail = async () => {};
    // Each round is an hour later: all leases and waits are over.
    const worker = startWorker(round * hourMs);
    const gone = once(worker, "exit");
    arm(async () => {
      worker.kill("SIGKILL");
      await gone;
    });
    expect((await gone)[1]).toBe("SIGKILL");
    inProgress += 4;
  }
  server.onRecipient = () => null;
  server.onMail = async () => {};
  const worker = startWorker(moments.length * hourMs);
  const [[summary]] = await Promise.all([once(worker, "message"), once(worker, "exit")]);
  expect(summary).toMatchObject({ failed: 0, left: 0 });

  for (const reader of readers) {
    const mails = server.to(reader);
    expect([reader, mails.length]).not.toEqual([reader, 0]);
    // A repeated mail has the same Message-ID.
    expect(new Set(mails.map(({ headers }) => headers.get("message-id"))).size).toBe(1);
  }
  // No kill repeats more than the mails that were being sent.
  expect(server.received.length - readerCount).toBeLessThanOrEqual(inProgress);
  const states = await database.client.digestMail.groupBy({ by: ["status"], _count: true });
  expect(states).toEqual([{ status: "sent", _count: readerCount }]);
  expect(await database.client.digestItem.count()).toBe(0);
});
