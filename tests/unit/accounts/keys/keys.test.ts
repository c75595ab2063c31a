import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  addKey,
  anonymousCaller,
  type Caller,
  createFurtherKey,
  createKey,
  endKey,
  endPreviousKeys,
  getKey,
  type KeyContext,
  listAccountKeys,
  listKeys,
  revokeKey,
  rotateKey,
  verifyKey,
} from "#lib/accounts/keys/index";
import { type Clock, systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { outcomeOf } from "#tests/support/call-tool";
import { sharedDatabase } from "#tests/support/shared-database";

const hourMs = 60 * 60 * 1000;
const start = new Date("2026-11-21T12:00:00.000Z");
let now = start;
const clock: Clock = { ...systemClock, now: () => now };
const pass = (ms: number) => {
  now = new Date(now.getTime() + ms);
};

const database = sharedDatabase();
let context: KeyContext;
beforeAll(async () => {
  context = { database: database.client, clock, ids: systemIds };
});
beforeEach(() => {
  now = start;
});

const verify = (key: string) => verifyKey(context, `Bearer ${key}`);
const refusal = (key: string) => outcomeOf(verify(key));
const rotate = (caller: Caller, grace?: "true") => rotateKey({ ...context, caller }, { query: { grace } });
const create = (expiresAt: Date | null = null) => createKey(context, { tier: "starter", label: "Acme", expiresAt });

describe("a key", () => {
  test("identifies the caller: account, tier and plan", async () => {
    const { key, stored } = await create();
    const caller = { tier: "starter", keyId: stored.id, accountId: stored.accountId, limitId: stored.id };
    expect(await verify(key)).toMatchObject({ ...caller, plan: { requestsPerDay: 5_000 } });
    expect(await verifyKey(context, `bearer  ${key} `)).toMatchObject(caller);
    expect(await verifyKey(context, null)).toBe(anonymousCaller);
  });

  test("is not stored", async () => {
    const { key } = await create();
    const rows = await database.client.apiKey.findMany();
    expect(JSON.stringify(rows)).not.toContain(key.slice(4, 36));
  });

  test("with a typo is rejected without a database query", async () => {
    const { key } = await create();
    const withoutDatabase = {
      clock,
      get database(): never {
        throw new Error("asked");
      },
    };
    const typo = `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`;
    for (const header of [`Bearer ${typo}`, "Bearer ", "", "Basic dXNlcjpwYXNz", key, `Bearer ${key} ${key}`]) {
      await expect(verifyKey(withoutDatabase, header)).rejects.toMatchObject({ code: "unauthorized" });
    }
    await expect(verifyKey(withoutDatabase, `Bearer ${key}`)).rejects.toThrow("asked");
  });

  test("that was never issued is rejected", async () => {
    expect(await refusal("ltf_000000000000000000000000000000004NW1lu")).toMatch(/^unauthorized: .*unknown/);
  });

  test("stops working when it expires", async () => {
    const { key } = await create(new Date(start.getTime() + hourMs));
    pass(hourMs - 1);
    expect(await refusal(key)).toBe("accepted");
    pass(1);
    expect(await refusal(key)).toMatch(/^unauthorized: .*expired/);
  });

  test("has the current tier of its account", async () => {
    const { key, stored } = await create();
    await database.client.account.update({ where: { id: stored.accountId }, data: { tier: "enterprise_plus" } });
    expect(await verify(key)).toMatchObject({ tier: "enterprise_plus", plan: { requestsPerDay: -1 } });
  });

  test("can be one of several keys of an account, each with its own limit", async () => {
    const { stored } = await create();
    const further = await createKey(context, { accountId: stored.accountId });
    expect(await verify(further.key)).toMatchObject({ tier: "starter", accountId: stored.accountId });
    expect(further.stored.limitId).not.toBe(stored.limitId);
    const nobody = "00000000-0000-7000-8000-000000000000";
    await expect(createKey(context, { accountId: nobody })).rejects.toMatchObject({ code: "not_found" });
    expect(await database.client.apiKey.count({ where: { accountId: nobody } })).toBe(0);
  });
});

describe("a rotation", () => {
  test("returns a new key, and the old one stops working at once", async () => {
    const { key } = await create();
    const rotation = await rotate(await verify(key));
    expect(rotation).toEqual({
      new_key: expect.stringMatching(/^ltf_/),
      rotated_at: start.toISOString(),
      note: expect.stringContaining("has stopped working"),
    });
    expect(await refusal(key)).toMatch(/^unauthorized: .*was rotated/);
    expect(await refusal(rotation.new_key)).toBe("accepted");
  });

  test("with grace keeps the old key for 24 hours, on the same account and limit", async () => {
    const { key } = await create();
    const old = await verify(key);
    const rotation = await rotate(old, "true");
    expect(rotation).toMatchObject({
      grace_period: "24 hours",
      note: expect.stringContaining("2026-11-22T12:00:00.000Z"),
    });
    const { limitId, accountId } = old;
    expect(await verify(rotation.new_key)).toMatchObject({ limitId, accountId, tier: "starter" });
    pass(24 * hourMs - 1);
    expect(await verify(key)).toEqual(old);
    pass(1);
    expect(await refusal(key)).toMatch(/was rotated/);
    expect(await refusal(rotation.new_key)).toBe("accepted");
  });

  test("never extends a key's own expiry, which the new key inherits", async () => {
    const expiresAt = new Date(start.getTime() + 3 * hourMs);
    const { key } = await create(expiresAt);
    const rotation = await rotate(await verify(key), "true");
    expect(rotation.grace_period).toContain(expiresAt.toISOString());
    pass(3 * hourMs - 1);
    expect([await refusal(key), await refusal(rotation.new_key)]).toEqual(["accepted", "accepted"]);
    pass(1);
    expect([await refusal(key), await refusal(rotation.new_key)]).toEqual([
      expect.stringMatching(/rotated/),
      expect.stringMatching(/expired/),
    ]);
  });

  test("is possible once, also during the grace period", async () => {
    const { key } = await create();
    const caller = await verify(key);
    await rotate(caller, "true");
    await expect(rotate(await verify(key))).rejects.toMatchObject({ code: "unauthorized" });
    expect(await refusal(key)).toBe("accepted");
  });

  test("shows the keys that it replaced and that still work, and they can be ended at once", async () => {
    const { key: first } = await createKey(context, { tier: "starter" });
    const { new_key: second } = await rotate(await verify(first), "true");
    pass(hourMs);
    const { new_key: third } = await rotate(await verify(second), "true");
    const detailOf = async (key: string) => getKey({ ...context, caller: await verify(key) });
    const worksUntil = (key: string, hours: number) => {
      return { last_four: key.slice(-4), works_until: new Date(start.getTime() + hours * hourMs).toISOString() };
    };
    expect(await detailOf(third)).toEqual({
      tier: "starter",
      plan: "starter",
      subscription: null,
      last_four: third.slice(-4),
      created_at: now.toISOString(),
      works_until: null,
      previous_keys: [worksUntil(second, 25), worksUntil(first, 24)],
    });
    // A replaced key neither sees nor ends the keys after it.
    expect(await detailOf(first)).toMatchObject({ ...worksUntil(first, 24), previous_keys: [] });
    const { key: foreign } = await createKey(context, { tier: "starter" });
    for (const key of [first, foreign]) {
      expect(await endPreviousKeys({ ...context, caller: await verify(key) })).toEqual({ ended: 0 });
    }
    const caller = await verify(third);
    expect(await endPreviousKeys({ ...context, caller })).toEqual({ ended: 2 });
    for (const key of [first, second]) expect(await refusal(key)).toContain("was rotated");
    expect([await endPreviousKeys({ ...context, caller }), (await detailOf(third)).previous_keys]).toEqual([
      { ended: 0 },
      [],
    ]);
    await expect(getKey({ ...context, caller: anonymousCaller })).rejects.toMatchObject({ code: "unauthorized" });
  });

  test("ends replaced keys also if the clock that made one was ahead, so that its id sorts after the next one", async () => {
    const ids = (id: string) => ({ next: () => id });
    const later = await createKey(
      { ...context, ids: { next: () => `f${randomUUID().slice(1)}` } },
      { tier: "starter" },
    );
    const next = async (caller: Caller, prefix: string, grace?: "true") =>
      rotateKey({ ...context, ids: ids(`${prefix}${randomUUID().slice(1)}`), caller }, { query: { grace } });
    const { new_key: second } = await next(await verify(later.key), "e", "true");
    const { new_key: third } = await next(await verify(second), "d", "true");
    const detail = await getKey({ ...context, caller: await verify(third) });
    expect(detail.previous_keys).toHaveLength(2);
    await next(await verify(third), "c");
    for (const key of [later.key, second, third]) expect(await refusal(key)).toContain("was rotated");
    const other = await createKey(
      { ...context, ids: { next: () => `f${randomUUID().slice(1)}` } },
      { tier: "starter" },
    );
    const { new_key: last } = await next(await verify(other.key), "e", "true");
    expect(await endPreviousKeys({ ...context, caller: await verify(last) })).toEqual({ ended: 1 });
    expect(await refusal(other.key)).toContain("was rotated");
  });

  test("without grace also ends the keys that were replaced with grace before", async () => {
    const { key } = await create();
    const second = await rotate(await verify(key), "true");
    const third = await rotate(await verify(second.new_key), "true");
    const { key: other } = await create();
    const otherNext = await rotate(await verify(other), "true");
    expect([await refusal(key), await refusal(second.new_key)]).toEqual(["accepted", "accepted"]);
    const fourth = await rotate(await verify(third.new_key));
    pass(-hourMs);
    for (const old of [key, second.new_key, third.new_key]) expect(await refusal(old)).toMatch(/was rotated/);
    for (const valid of [fourth.new_key, other, otherNext.new_key]) expect(await refusal(valid)).toBe("accepted");
  });

  test("of several concurrent ones, exactly one succeeds; the others are unauthorized and create no key", async () => {
    const { key, stored } = await create();
    const caller = await verify(key);
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => rotate(caller)));
    const lost = results.flatMap((result) => (result.status === "rejected" ? [result.reason.code] : []));
    expect(lost).toEqual(Array(9).fill("unauthorized"));
    expect(await database.client.apiKey.count({ where: { accountId: stored.accountId } })).toBe(2);
  });

  test("requires a valid key", async () => {
    await expect(rotate(anonymousCaller)).rejects.toMatchObject({ code: "unauthorized" });
    const { key, stored } = await create();
    const caller = await verify(key);
    await revokeKey(context, { name: stored.id });
    await expect(rotate(caller)).rejects.toMatchObject({ code: "unauthorized" });
    const short = await create(new Date(start.getTime() + hourMs));
    const expired = await verify(short.key);
    pass(hourMs);
    await expect(rotate(expired)).rejects.toMatchObject({ code: "unauthorized" });
  });
});

describe("operators", () => {
  test("revoke a key permanently, by its id or its last four characters", async () => {
    const { key, stored } = await create();
    expect(await revokeKey(context, { name: stored.lastFour })).toMatchObject({ id: stored.id, revokedAt: start });
    expect(await refusal(key)).toMatch(/was revoked/);
    pass(hourMs);
    expect((await revokeKey(context, { name: stored.id.toUpperCase() })).revokedAt).toEqual(start);
    await expect(revokeKey(context, { name: systemIds.next() })).rejects.toMatchObject({ code: "not_found" });
    await expect(revokeKey(context, { name: "the one of Acme" })).rejects.toMatchObject({ code: "bad_request" });
  });

  test("revoke no key if two have the same last four characters", async () => {
    const { stored } = await create();
    const twin = await create();
    await database.client.apiKey.update({ where: { id: twin.stored.id }, data: { lastFour: stored.lastFour } });
    const asked = revokeKey(context, { name: stored.lastFour });
    await expect(asked).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining(twin.stored.id) });
    expect(await refusal(twin.key)).toBe("accepted");
  });

  test("list the keys of an account, newest first, with their states", async () => {
    const { key, stored } = await create(new Date(start.getTime() + 48 * hourMs));
    const { accountId } = stored;
    const second = await rotate(await verify(key));
    await rotate(await verify(second.new_key), "true");
    const third = await createKey(context, { accountId });
    await revokeKey(context, { name: third.stored.id });
    const states = async () => (await listKeys(context, { accountId })).map(({ state }) => state);
    expect(await states()).toEqual(["revoked", "valid", "grace", "rotated"]);
    pass(24 * hourMs);
    expect(await states()).toEqual(["revoked", "valid", "rotated", "rotated"]);
    pass(24 * hourMs);
    expect(await states()).toEqual(["revoked", "expired", "rotated", "rotated"]);
  });
});

describe("the keys of an account", () => {
  const list = async (key: string) => (await listAccountKeys({ ...context, caller: await verify(key) })).keys;

  test("are listed while they work, with the day of their latest use", async () => {
    const { key, stored } = await create();
    const { accountId } = stored;
    const second = await createFurtherKey(context, { accountId, expiresAt: new Date(start.getTime() + 2 * hourMs) });
    await create();
    const created_at = start.toISOString();
    const shared = { created_at, is_calling: false, works_until: null };
    expect(await list(key)).toEqual([
      {
        ...shared,
        name: null,
        id: second.stored.id,
        last_four: second.key.slice(-4),
        works_until: expect.any(String),
        used_on: null,
      },
      { ...shared, id: stored.id, name: null, last_four: key.slice(-4), used_on: "2026-11-21", is_calling: true },
    ]);
    await verify(second.key);
    pass(24 * hourMs);
    expect((await list(key)).map(({ id, used_on }) => [id, used_on])).toEqual([[stored.id, "2026-11-22"]]);
    now = start;
    expect((await list(key)).map(({ used_on }) => used_on)).toEqual(["2026-11-21", "2026-11-22"]);
  });

  test("can be ended by another one of the account alone", async () => {
    const { key, stored } = await create();
    const second = await createFurtherKey(context, { accountId: stored.accountId });
    const stranger = await create();
    const end = async (by: string, id: string) =>
      endKey({ ...context, caller: await verify(by) }, { params: { id } }).catch(({ code }) => code);
    expect(await end(stranger.key, second.stored.id)).toBe("not_found");
    expect(await end(key, stored.id)).toBe("conflict");
    expect(await refusal(second.key)).toBe("accepted");
    expect(await end(key, second.stored.id.toUpperCase())).toEqual({ ended: true, id: second.stored.id });
    expect(await refusal(second.key)).toMatch(/^unauthorized: .*revoked/);
    expect(await end(key, second.stored.id)).toBe("not_found");
  });

  describe("that another one creates", () => {
    const add = async (by: string, name: string, expires_in_days?: number) =>
      addKey({ ...context, caller: await verify(by) }, { body: { name, expires_in_days } });

    test("have a name, which rotations keep, share the count, and never outlive the one that created them", async () => {
      const { key, stored } = await create(new Date(start.getTime() + 48 * hourMs));
      const short = await add(key, "CI", 1);
      const long = await add(key, "laptop", 30);
      expect([short.works_until, long.works_until]).toEqual(["2026-11-22T12:00:00.000Z", "2026-11-23T12:00:00.000Z"]);
      expect(await verify(short.new_key)).toMatchObject({ accountId: stored.accountId, limitId: stored.limitId });
      const rotated = await rotate(await verify(short.new_key), "true");
      expect((await list(rotated.new_key)).map(({ name }) => name)).toEqual(["CI", "laptop", "CI", null]);
      const lasting = await create();
      expect((await add(lasting.key, "CI")).works_until).toBe(null);
    });

    test("are refused for a name that is taken, by a rotated key, and beyond 20, also at the same time", async () => {
      const { key } = await create();
      await add(key, "CI");
      await expect(add(key, "CI")).rejects.toMatchObject({ code: "conflict" });
      const rest = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => add(key, `place ${index}`)));
      expect(rest.filter(({ status }) => status === "fulfilled")).toHaveLength(18);
      const other = await create();
      await rotate(await verify(other.key), "true");
      await expect(add(other.key, "CI")).rejects.toMatchObject({ code: "conflict" });
    });

    test("end only the keys that they replaced, not those that others did", async () => {
      const { key } = await create();
      const { new_key: first } = await add(key, "one");
      const { new_key: second } = await add(key, "two");
      await rotate(await verify(first), "true");
      const previousOf = async (by: string) => (await getKey({ ...context, caller: await verify(by) })).previous_keys;
      expect(await previousOf(second)).toEqual([]);
      await rotate(await verify(second));
      expect([await refusal(first), await refusal(second)]).toEqual([
        "accepted",
        expect.stringMatching(/^unauthorized/),
      ]);
    });
  });
});
