import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import type { Database } from "#lib/platform/database/index";
import { minuteMs } from "#lib/platform/time";
import { findWaitingItems, listDigests, replaceItems } from "#lib/tracking/digests/index";
import { maxMailChangeCount } from "#lib/tracking/digests/mails/digest";
import { mailRetryWaitsMs, maxRefusedCount } from "#lib/tracking/digests/sending/send-digests";
import { claimMails, createMails } from "#lib/tracking/digests/sending/store";
import { decodeHeader } from "#tests/support/mail-server";
import { provided } from "#tests/support/provided";
import { createDigestFixture } from "./digest-fixture";

const fixture = provided(createDigestFixture);

let count = 0;
let address: string;
beforeEach(async () => {
  count += 1;
  address = `reader-${count}@b.example`;
  fixture.server.onRecipient = () => null;
  fixture.server.onMail = async () => {};
  // The digests of earlier tests get nothing.
  await fixture.client.digest.deleteMany();
});

const changesTo = (to: string) => fixture.server.to(to).filter(({ headers }) => headers.has("list-unsubscribe"));
const subjects = (to: string) => changesTo(to).map(({ headers }) => decodeHeader(headers.get("subject") ?? ""));

describe("the times", () => {
  it("each: changes of a run share a mail, and the next one comes ten minutes later at the earliest", async () => {
    const { vendor, report, subscribe, caller, run, pass } = fixture;
    const [stripe, vercel] = [await vendor({ name: "Stripe" }), await vendor({ name: "Vercel" })];
    await subscribe(await caller(), address, "each");
    await report(stripe, { significance: 3 });
    await report(vercel);
    expect(await run()).toMatchObject({ created: 1, sent: 1 });
    await report(stripe, { summary: "A price changed." });
    pass(9 * minuteMs);
    expect(await run()).toMatchObject({ created: 0, sent: 0 });
    pass(minuteMs);
    expect(await run()).toMatchObject({ created: 1, sent: 1 });
    expect(subjects(address)).toEqual(["2 changes: Vercel, Stripe", "Stripe: A price changed."]);
    expect(new Set(changesTo(address).map(({ headers }) => headers.get("message-id"))).size).toBe(2);
  });

  it("daily and weekly: at 07:00 UTC, on Mondays, and nothing without a change", async () => {
    const { vendor, report, subscribe, caller, run, pass, clock } = fixture;
    const acme = await vendor({ name: "Acme" });
    const who = await caller();
    const [daily, weekly] = [`d-${address}`, `w-${address}`];
    await subscribe(who, daily, "daily");
    await subscribe(who, weekly, "weekly");
    const sentAt: string[] = [];
    const passHours = async (hours: number) => {
      for (let hour = 0; hour < hours; hour += 1) {
        pass(60 * minuteMs);
        // Nothing is due in the other hours, which the runs before and after 07:00 show.
        if (![6, 7, 8].includes(clock.now().getUTCHours())) continue;
        await run();
        for (const to of [daily, weekly]) {
          const isNew = sentAt.filter((line) => line.startsWith(to)).length < changesTo(to).length;
          if (isNew) sentAt.push(`${to} ${clock.now().toISOString().slice(0, 13)}`);
        }
      }
    };
    const minutesPast = clock.now().getTime() % (60 * minuteMs);
    pass(60 * minuteMs - minutesPast);
    await passHours(30);
    expect(sentAt).toEqual([]);
    await report(acme);
    await passHours(8 * 24);
    const [first, second] = sentAt.map((line) => new Date(`${line.split(" ")[1]}:00Z`));
    expect(sentAt.map((line) => line.split(" ")[0])).toEqual([daily, weekly]);
    expect([first?.getUTCHours(), second?.getUTCHours(), second?.getUTCDay()]).toEqual([7, 7, 1]);
  });
});

describe("the changes of a mail", () => {
  it("match the filters, and are those since the confirmation", async () => {
    const { vendor, report, create, confirm, caller, run } = fixture;
    const acme = await vendor({ name: "Acme" });
    const filters = { vendors: [acme.slug], categories: ["pricing-change" as const], min_significance: 3 };
    await create(await caller(), address, "each", filters);
    const matching = { significance: 3 as const, categories: ["pricing-change" as const] };
    await report(acme, { ...matching, summary: "Before the confirmation." });
    await confirm(address);
    await report(acme, { ...matching, significance: 2 });
    await report(acme, { ...matching, categories: ["api-change"] });
    await report(await vendor(), matching);
    await report(acme, { ...matching, summary: `The one${" and its details".repeat(9)}.` });
    await run();
    expect(subjects(address)).toEqual([`Acme: The one${" and its details".repeat(7)} and its…`]);
  });

  it("are those that the account's tier covers when it is sent, and never of another account's vendors", async () => {
    const { vendor, report, subscribe, caller, run, client, pass } = fixture;
    const [pro, starter, free, other] = [await caller(), await caller("starter"), await caller("free"), await caller()];
    const [known, covered] = [await vendor({ name: "Public" }), await vendor({ name: "Covered", isPublic: false })];
    const own = await vendor({ name: "Own", accountId: pro.accountId, isPublic: false });
    const foreign = await vendor({ name: "Foreign", accountId: other.accountId, isPublic: false });
    const to = (who: string) => `${who}-${address}`;
    for (const [who, one] of Object.entries({ pro, starter, free })) await subscribe(one, to(who));
    for (const one of [known, covered, foreign]) await report(one);
    const { diffId } = await report(own);
    await run();
    const namesTo = (who: string) =>
      ["Public", "Covered", "Own", "Foreign"].filter((name) =>
        changesTo(to(who)).some(({ text, html }) => text.includes(`${name}\n`) && html.includes(`>${name}<`)),
      );
    expect(namesTo("pro")).toEqual(["Public", "Covered", "Own"]);
    // No page shows the diff of an own vendor, so the mail names the request that does.
    const request = new RegExp(
      `Read the diff ${diffId} with your API key: (<code>)?GET https://[^ /]+/api/v1/vendors/${own.slug}/diffs[\\n<]`,
    );
    const [mail] = changesTo(to("pro"));
    for (const body of [mail?.text, mail?.html]) expect(body).toMatch(request);
    for (const body of [mail?.text, mail?.html]) expect(body?.match(/api\/v1\/vendors/g)).toHaveLength(1);
    expect(namesTo("starter")).toEqual(["Public", "Covered"]);
    expect(namesTo("free")).toEqual(["Public"]);
    // The tier ends between the change and the mail.
    pass(20 * minuteMs);
    await report(own);
    await client.account.update({ where: { id: pro.accountId }, data: { tier: "free" } });
    expect(await run()).toMatchObject({ sent: 0, empty: 1 });
    expect(await client.digestItem.count()).toBe(0);
  });

  it("are the most significant ones, and the mail says how many more there are", async () => {
    const { vendor, report, subscribe, caller, run } = fixture;
    const acme = await vendor({ name: "Acme" });
    await subscribe(await caller(), address);
    for (let index = 0; index < maxMailChangeCount + 2; index += 1) {
      await report(acme, { significance: index === 21 ? 5 : 2, summary: `Change ${index}.` });
    }
    await run();
    const [mail] = changesTo(address);
    expect(subjects(address)).toEqual(["22 changes: Acme and more"]);
    expect(mail?.text.indexOf("Change 21.")).toBeLessThan(mail?.text.indexOf("Change 20.") ?? 0);
    expect(mail?.text.match(/^Change \d+\.$/gm)).toHaveLength(maxMailChangeCount);
    for (const body of [mail?.text, mail?.html]) expect(body).toContain("and 2 more changes");
  });

  it("cannot change the mail, whatever the vendor writes", async () => {
    const { vendor, report, subscribe, caller, run } = fixture;
    const hostile = `<img src=x onerror=alert(1)></div><a href="javascript:alert(1)">"'\r\nBcc: c@d.example\r\n\r\n\u202Etxt`;
    const evil = await vendor({ name: `Evil${hostile}` });
    await subscribe(await caller(), address);
    await report(evil, { summary: `${hostile}${"x".repeat(5_000)}` });
    await run();
    const [mail] = changesTo(address);
    expect(mail?.html).not.toMatch(/<img|<a href="javascript|onerror=alert\(1\)>/);
    expect(mail?.html).toContain("&lt;img src=x");
    expect(mail?.html.length).toBeLessThan(8_000);
    expect([...(mail?.headers.keys() ?? [])]).not.toContain("bcc");
    expect(subjects(address)[0]).toMatch(/^Evil<img[^\n\u202E]{1,140}$/);
    for (const body of [mail?.text, mail?.html]) expect(body).not.toContain("\u202E");
    expect(mail?.text).not.toMatch(/^Bcc:/m);
  });

  it("stay in the mail when their report is replaced", async () => {
    const { vendor, report, subscribe, caller, run, client } = fixture;
    const acme = await vendor({ name: "Acme" });
    await subscribe(await caller(), address);
    const { diffId, snapshotId, ...written } = await report(acme);
    await client.$transaction(async (transaction) => {
      const items = await findWaitingItems(transaction, diffId as string);
      await transaction.report.delete({ where: { id: written.id } });
      const id = written.id.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
      const data = { ...written, id, diffId, snapshotId, summary: "Written again." };
      await transaction.report.create({ data });
      await replaceItems(transaction, id, items);
    });
    await run();
    expect(subjects(address)).toEqual(["Acme: Written again."]);
  });

  it("are none of an account whose keys have all ended", async () => {
    const { vendor, report, subscribe, caller, run, client } = fixture;
    const acme = await vendor();
    const who = await caller();
    await subscribe(who, address);
    await report(acme);
    await client.apiKey.updateMany({ where: { accountId: who.accountId }, data: { revokedAt: fixture.clock.now() } });
    expect(await run()).toMatchObject({ created: 0, sent: 0 });
  });
});

describe("a failed attempt", () => {
  it("is retried with growing waits, with the same Message-ID, and given up in the end", async () => {
    const { vendor, report, subscribe, caller, run, pass, server } = fixture;
    await subscribe(await caller(), address);
    await report(await vendor());
    server.onRecipient = () => ({ status: 451, message: "later" });
    for (const waitMs of mailRetryWaitsMs) {
      expect(await run()).toMatchObject({ retried: 1, failed: 0 });
      pass(waitMs - 1);
      expect(await run()).toMatchObject({ retried: 0 });
      pass(1);
    }
    expect(await run()).toMatchObject({ retried: 0, failed: 1, disabled: 0 });
    expect(await run()).toMatchObject({ created: 0, failed: 0 });
  });

  it("that the server refuses for good is not retried, and three in a row disable the digest", async () => {
    const { vendor, report, subscribe, caller, run, pass, server, context, tools, logged } = fixture;
    const who = await caller();
    await subscribe(who, address);
    const acme = await vendor();
    server.onRecipient = (to) => ({ status: 550, message: `no ${to}` });
    for (let index = 1; index <= maxRefusedCount; index += 1) {
      await report(acme);
      expect(await run()).toMatchObject({ sent: 0, failed: 1, disabled: index === maxRefusedCount ? 1 : 0 });
      pass(10 * minuteMs);
    }
    const { digests } = await listDigests({ ...context, caller: who }, undefined, tools);
    expect(digests).toMatchObject([
      { email: address, status: "disabled", disabled_reason: expect.stringContaining("550") },
    ]);
    await report(acme);
    expect(await run()).toMatchObject({ created: 0 });
    expect(logged.join("")).not.toContain(address);
  });

  it("because of the mail server ends the run, is no digest's fault, and is made up for later", async () => {
    const { vendor, report, subscribe, caller, run, pass, server, client } = fixture;
    const who = await caller();
    const readers = Array.from({ length: 5 }, (_, index) => `${index}-${address}`);
    for (const to of readers) await subscribe(who, to);
    await report(await vendor());
    server.isDown = true;
    const { retried, left, ...summary } = await run();
    expect(summary).toMatchObject({ created: 5, sent: 0, failed: 0 });
    // At least the fifth mail is not tried: four are sent at a time, and the first one that fails ends the run.
    expect([retried + left, left >= 1, retried >= 1]).toEqual([5, true, true]);
    server.isDown = false;
    // The server may learn later than the run that its connections are closed.
    await expect.poll(() => server.openCount).toBe(0);
    server.maxOpenCount = 0;
    pass(mailRetryWaitsMs[0] as number);
    expect(await run()).toMatchObject({ sent: 5, left: 0 });
    for (const to of readers) expect(changesTo(to)).toHaveLength(1);
    expect(await client.digest.count({ where: { refusedCount: { gt: 0 } } })).toBe(0);
    expect(server.maxOpenCount).toBeGreaterThan(0);
    expect(server.maxOpenCount).toBeLessThanOrEqual(4);
  });

  it("claims no more mails than asked for, whatever plan the database chooses", async () => {
    const { vendor, report, subscribe, caller, client, clock } = fixture;
    const who = await caller();
    for (const index of [1, 2, 3, 4, 5]) await subscribe(who, `${index}-${address}`);
    await report(await vendor());
    const now = clock.now();
    await createMails(client, { frequency: "each", now, nextDueAt: now, limit: 5 });
    const claimed = await client.$transaction(async (transaction) => {
      // Leaves nested loops, in which a subquery would be executed for each row.
      for (const plan of ["hashjoin", "mergejoin", "hashagg", "sort", "material", "memoize"])
        await transaction.$executeRawUnsafe(`SET LOCAL enable_${plan} = off`);
      return claimMails(transaction as Database, { now, leaseEnd: now, leaseId: randomUUID(), limit: 2 });
    });
    expect(claimed).toHaveLength(2);
  });

  it("because no key decrypts the address is logged, and other digests get their mails", async () => {
    const { vendor, report, subscribe, caller, run, client, logged } = fixture;
    const who = await caller();
    const broken = await subscribe(who, address);
    await subscribe(who, `other-${address}`);
    await client.digest.update({ where: { id: broken.id }, data: { contact: "v1.00000000.AAAA.AAAA" } });
    await report(await vendor());
    expect(await run()).toMatchObject({ sent: 1, retried: 1 });
    expect(logged.join("")).toContain("could not decrypt a digest's address");
  });
});
