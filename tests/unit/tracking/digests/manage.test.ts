import { beforeEach, describe, expect, it } from "vitest";
import { maxMailsPerMailbox, maxMailsPerSender } from "#lib/accounts/limits/index";
import { dayMs } from "#lib/platform/time";
import {
  changeDigest,
  confirmDigest,
  deleteDigest,
  getConfirmation,
  getUnsubscription,
  listDigests,
  pruneDigests,
  reencryptContacts,
  unsubscribe,
} from "#lib/tracking/digests/index";
import { createDigestBodySchema, digestListSchema, maxDigestCount } from "#lib/tracking/digests/schemas";
import { confirmPending } from "#lib/tracking/digests/store";
import { outcomeOf, refusalOf } from "#tests/support/call-tool";
import { provided } from "#tests/support/provided";
import { testKeys } from "#tests/support/webhook-receivers";
import { createDigestFixture } from "./digest-fixture";

const fixture = provided(createDigestFixture);

let count = 0;
let address: string;
beforeEach(() => {
  count += 1;
  address = `reader-${count}@b.example`;
  fixture.server.onRecipient = () => null;
});

const codeOf = async (work: Promise<unknown>) => (await refusalOf(work)).code;

const input = (token: string) => ({ query: { token } });

it("a digest is answered with the models of its filters that are not known", async () => {
  const { create, caller, context } = fixture;
  const who = await caller();
  const { id } = await create(who, address);
  const filters = { models: ["gpt-5-mini", "gpt-5-mni"] };
  const changed = await changeDigest({ ...context, caller: who }, { params: { id }, body: { filters } }, fixture.tools);
  expect(changed.unknown_models).toEqual(["gpt-5-mni"]);
});

describe("a confirmation", () => {
  it("works within 24 hours, and opening its page changes nothing", async () => {
    const { create, caller, context, tokenOf, pass, client } = fixture;
    const { id, status } = await create(await caller("free"), address, "weekly");
    expect(status).toBe("pending");
    const token = tokenOf(address, "confirm");
    for (let index = 0; index < 2; index += 1)
      expect(await getConfirmation(context, input(token), testKeys)).toMatchObject({ address });
    pass(dayMs - 1);
    expect((await client.digest.findUniqueOrThrow({ where: { id } })).status).toBe("pending");
    const { confirmHash } = await client.digest.findUniqueOrThrow({ where: { id } });
    expect((await getConfirmation(context, input(token), testKeys)).isConfirmed).toBe(false);
    await Promise.all([1, 2].map(() => confirmDigest(context, input(token), testKeys)));
    const { status: confirmed, confirmedAt } = await client.digest.findUniqueOrThrow({ where: { id } });
    expect(confirmed).toBe("active");
    // The link says that the address is confirmed, also when it is old, and changes nothing.
    pass(dayMs);
    expect(await getConfirmation(context, input(token), testKeys)).toMatchObject({ address, isConfirmed: true });
    expect(await confirmDigest(context, input(token), testKeys)).toMatchObject({ address });
    expect((await client.digest.findUniqueOrThrow({ where: { id } })).confirmedAt).toEqual(confirmedAt);
    // Nor does another request that read the digest before it was confirmed.
    const [at, nextDueAt] = [fixture.clock.now(), fixture.clock.now()];
    expect(await confirmPending(client, { id, confirmHash: confirmHash as string, at, nextDueAt })).toBe(false);
  });

  it("that is late does not work, and its digest is deleted with the address", async () => {
    const { create, caller, context, tokenOf, pass, client, clock } = fixture;
    const { id } = await create(await caller(), address);
    pass(dayMs);
    expect(await codeOf(confirmDigest(context, input(tokenOf(address, "confirm")), testKeys))).toBe("not_found");
    const before = { disabled: new Date(0), mails: new Date(0), items: new Date(0) };
    await pruneDigests(client, { now: clock.now(), before, limit: 100 });
    expect(await client.digest.count({ where: { id } })).toBe(0);
  });

  it("is stored as a hash, and the address and the token of the unsubscription are encrypted", async () => {
    const { create, caller, tokenOf, client, logged, subscribe, vendor, report, run } = fixture;
    const who = await caller();
    const { id } = await create(who, address);
    const confirmToken = tokenOf(address, "confirm");
    const other = `other-${address}`;
    await subscribe(who, other);
    await report(await vendor());
    await run();
    const tokens = [confirmToken, tokenOf(other, "unsubscribe")];
    const rows = JSON.stringify([await client.digest.findMany(), await client.limitWindow.findMany()]);
    expect(rows).toContain(id);
    for (const secret of [...tokens, address, "reader-"]) {
      expect(rows).not.toContain(secret);
      expect(logged.join("")).not.toContain(secret);
    }
  });

  it("is not sent more often than allowed, to an address by anybody and for an account", async () => {
    const { create, caller, context, tools, server } = fixture;
    for (let index = 0; index < maxMailsPerMailbox; index += 1) await create(await caller(), address);
    expect(await codeOf(create(await caller(), address.toUpperCase()))).toBe("rate_limited");
    expect(server.to(address)).toHaveLength(maxMailsPerMailbox);
    const who = await caller();
    for (let index = 0; index < maxMailsPerSender; index += 1) {
      const { id } = await create(who, `${index}-${address}`);
      await deleteDigest({ ...context, caller: who }, { params: { id } }, tools);
    }
    expect(await codeOf(create(who, `x-${address}`))).toBe("rate_limited");
  });

  it("counts for the mailbox: tags and case do not make another one, and the address is used as typed", async () => {
    const { create, caller, server } = fixture;
    const [name, host] = address.split("@") as [string, string];
    const typed = [`${name}+a@${host}`, `${name.toUpperCase()}+b+c@${host}`, `${name}@${host.toUpperCase()}`];
    for (const one of typed) expect(await create(await caller(), one)).toMatchObject({ email: one });
    for (const one of [`${name}+d@${host}`, address])
      expect(await codeOf(create(await caller(), one))).toBe("rate_limited");
    // The mailer writes domains in lower case.
    expect(typed.map((one) => server.to(one.replace(host.toUpperCase(), host)).length)).toEqual([1, 1, 1]);
    // A name that begins with a plus has no tag.
    for (const one of ["+1", "+2", "+3", "+4"]) await create(await caller(), `${one}@${count}.example`);
  });

  it("that the mail server does not take leaves no digest", async () => {
    const { create, caller, context, tools, server } = fixture;
    const who = await caller();
    server.onRecipient = () => ({ status: 550, message: "no" });
    expect(await codeOf(create(who, address))).toBe("bad_request");
    server.onRecipient = () => ({ status: 451, message: "later" });
    expect(await codeOf(create(who, address))).toBe("service_unavailable");
    expect((await listDigests({ ...context, caller: who }, undefined, tools)).digests).toEqual([]);
  });
});

describe("the digests of an account", () => {
  it("are at most five, also of concurrent requests, and no other account's", async () => {
    const { create, caller, context, tools } = fixture;
    const [who, other] = [await caller(), await caller()];
    const results = await Promise.all(
      Array.from({ length: maxDigestCount + 2 }, (_, index) => outcomeOf(create(who, `${index}-${address}`))),
    );
    expect(results.filter((result) => result === "accepted")).toHaveLength(maxDigestCount);
    expect(results.filter((result) => result.startsWith("conflict"))).toHaveLength(2);
    const list = digestListSchema.parse(await listDigests({ ...context, caller: who }, undefined, tools));
    expect(list._meta).toEqual({ count: maxDigestCount, limit: maxDigestCount });
    const { id } = list.digests[0] as { id: string };
    const foreign = { ...context, caller: other };
    expect((await listDigests(foreign, undefined, tools)).digests).toEqual([]);
    const change = { params: { id }, body: { frequency: "weekly" as const } };
    expect(await codeOf(changeDigest(foreign, change, tools))).toBe("not_found");
    expect(await codeOf(deleteDigest(foreign, { params: { id } }, tools))).toBe("not_found");
  });

  it("have different addresses: another one for an address is refused, and names the first, without a mail", async () => {
    const { create, confirm, caller, context, tools, server, pass } = fixture;
    const who = await caller();
    const { id, confirm_by } = await create(who, address);
    const again = () => outcomeOf(create(who, address.toUpperCase()));
    expect(await again()).toMatch(new RegExp(`^conflict: .*${id}.*${confirm_by}.*sent`));
    await confirm(address);
    expect(await again()).toMatch(new RegExp(`^conflict: The digest ${id} .*PATCH`));
    expect(server.to(address)).toHaveLength(1);
    // Another account may use the address, and so may this one if its digest was not confirmed in time.
    const other = await caller();
    await create(other, address);
    pass(dayMs);
    await create(other, address);
    await deleteDigest({ ...context, caller: who }, { params: { id } }, tools);
    await create(who, address);
  });

  it("can be changed and deleted, with the address", async () => {
    const { create, caller, context, tools, vendor, client } = fixture;
    const who = { ...context, caller: await caller() };
    const { slug } = await vendor();
    const { id } = await create(who.caller, address, "daily", { min_significance: 2 });
    const first = await changeDigest(who, { params: { id }, body: { filters: { vendors: [slug] } } }, tools);
    expect(first.digest).toMatchObject({ frequency: "daily", filters: { vendors: [slug] } });
    const second = await changeDigest(who, { params: { id }, body: { frequency: "weekly" } }, tools);
    expect(second.digest).toMatchObject({ frequency: "weekly", filters: { vendors: [slug] } });
    const third = await changeDigest(who, { params: { id }, body: { filters: null } }, tools);
    expect(third.digest.filters).toBeUndefined();
    await deleteDigest(who, { params: { id } }, tools);
    expect(await client.digest.count({ where: { id } })).toBe(0);
  });

  it("take filters of every vendor that the account sees, and of no other account's", async () => {
    const { create, caller, vendor } = fixture;
    const [pro, other] = [await caller(), await caller()];
    const own = await vendor({ isPublic: false, accountId: pro.accountId });
    const withVendor = (who: typeof pro, slug: string) => create(who, address, "each", { vendors: [slug] });
    expect(await codeOf(withVendor(other, own.slug))).toBe("bad_request");
    expect(await withVendor(pro, own.slug)).toMatchObject({ filters: { vendors: [own.slug] } });
  });

  it("open with a new key after their contacts were encrypted again", async () => {
    const { create, caller, context, tools, client } = fixture;
    const who = { ...context, caller: await caller() };
    await create(who.caller, address);
    const keys = [Buffer.alloc(32, 9), ...testKeys];
    const result = await reencryptContacts({ ...context, keys });
    expect(result).toMatchObject({ reencrypted: await client.digest.count(), unreadable: 0 });
    const newTools = { ...tools, keys: keys.slice(0, 1) };
    expect((await listDigests(who, undefined, newTools)).digests[0]?.email).toBe(address);
    expect(await codeOf(listDigests(who, undefined, tools))).toBe("service_unavailable");
    await client.digest.deleteMany();
  });
});

it("pruning deletes long disabled digests, old mails and changes that no mail took, and nothing else", async () => {
  const { subscribe, caller, vendor, report, run, client, clock, pass } = fixture;
  await client.digest.deleteMany();
  const who = await caller();
  const [disabled, sent, waiting] = [
    await subscribe(who, `a-${address}`),
    await subscribe(who, `b-${address}`),
    await subscribe(who, `c-${address}`, "weekly"),
  ];
  await client.digest.update({ where: { id: disabled.id }, data: { status: "disabled", disabledAt: clock.now() } });
  await report(await vendor());
  await run();
  const prune = () => {
    const before = new Date(clock.now().getTime() - dayMs);
    return pruneDigests(client, {
      now: clock.now(),
      before: { disabled: before, mails: before, items: before },
      limit: 100,
    });
  };
  const rows = async () => [
    (await client.digest.findMany({ orderBy: { id: "asc" } })).map(({ id }) => id),
    await client.digestMail.count(),
    await client.digestItem.count(),
  ];
  pass(dayMs);
  await prune();
  expect(await rows()).toEqual([[disabled.id, sent.id, waiting.id], 1, 1]);
  pass(1);
  expect(await prune()).toBe(3);
  expect(await rows()).toEqual([[sent.id, waiting.id], 0, 0]);
});

it("an unsubscription deletes the digest and the address, can be repeated, and needs its own token", async () => {
  const { subscribe, caller, context, tokenOf, vendor, report, run, client } = fixture;
  await client.digest.deleteMany();
  await subscribe(await caller(), address);
  await report(await vendor());
  await run();
  const token = tokenOf(address, "unsubscribe");
  expect(await getUnsubscription(context, input(token), testKeys)).toMatchObject({ address });
  const post = (given: string, body: string) => unsubscribe(context, { ...input(given), rawBody: Buffer.from(body) });
  const oneClick = "List-Unsubscribe=One-Click";
  await post("a".repeat(43), oneClick);
  expect(await codeOf(post("a".repeat(43), ""))).toBe("not_found");
  expect(await client.digest.count()).toBe(1);
  await post(token, oneClick);
  await post(token, oneClick);
  expect(await client.digest.count()).toBe(0);
  // A person is told that there is nothing to end.
  expect(await codeOf(post(token, ""))).toBe("not_found");
  expect(await codeOf(getUnsubscription(context, input(token), testKeys))).toBe("not_found");
});

it.each([
  "a@b.example\r\nBcc: c@d.example",
  "A <a@b.example>",
  "a@b.example, c@d.example",
  "a@b",
  `${"a".repeat(250)}@b.example`,
])("%j is not an address", (email) => {
  expect(createDigestBodySchema.safeParse({ email, frequency: "daily" }).success).toBe(false);
});
