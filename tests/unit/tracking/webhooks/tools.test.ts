import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anonymousCaller, type Caller } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { provideEncryptionKeys } from "#lib/platform/encryption";
import { systemIds } from "#lib/platform/ids";
import { createWebhookTool, deleteWebhookTool, listWebhooksTool, maxActiveCount } from "#lib/tracking/webhooks/index";
import { callTool, refusalOf, walkTool } from "#tests/support/call-tool";
import { sharedDatabase } from "#tests/support/shared-database";
import { addCaller, addWebhook, testKeys } from "#tests/support/webhook-receivers";

/** A public address that needs no DNS lookup. */
const url = "https://93.184.216.34/hooks";
const events = ["intelligence.high_significance"];

const database = sharedDatabase();
beforeAll(() => provideEncryptionKeys(testKeys));
afterAll(() => provideEncryptionKeys(undefined));

const contextOf = (caller: Caller) => ({ caller, clock: systemClock, ids: systemIds, database: database.client });
const create = (caller: Caller, input: object = { url, events }) =>
  callTool(createWebhookTool, contextOf(caller), input);
const list = (caller: Caller, input: object = {}) => callTool(listWebhooksTool, contextOf(caller), input);
const remove = (caller: Caller, id: string) => callTool(deleteWebhookTool, contextOf(caller), { id });

describe("the webhook tools", () => {
  it("require a key of the pro tier", async () => {
    for (const caller of [
      anonymousCaller,
      await addCaller(database.client, "free"),
      await addCaller(database.client, "starter"),
    ]) {
      for (const call of [create(caller), list(caller), remove(caller, randomUUID())]) {
        expect(await refusalOf(call)).toEqual({ code: "forbidden", message: expect.stringContaining("get_pricing") });
      }
    }
    const enterprise = await addCaller(database.client, "enterprise");
    expect((await create(enterprise)).webhook.active).toBe(true);
  });

  it.each(["http://127.0.0.1/x", "http://169.254.169.254/latest", "http://2130706433/", "http://[::1]/"])(
    "reject %s in terms of their arguments",
    async (address) => {
      const { code, message } = await refusalOf(create(await addCaller(database.client), { url: address, events }));
      expect([code, message]).toEqual([
        "bad_request",
        expect.stringMatching(/^The url was rejected: .*not a public address/),
      ]);
      expect(message).not.toContain("Body");
    },
  );

  it("mention delete_webhook at the limit, and list many long ones in pages", async () => {
    const caller = await addCaller(database.client);
    const ids: string[] = [];
    for (let index = 0; index < maxActiveCount; index += 1) {
      ids.unshift((await addWebhook(database.client, caller, `https://example.com/${index}/${"x".repeat(1_900)}`)).id);
    }
    const refusal = await refusalOf(create(caller));
    expect(refusal).toEqual({ code: "conflict", message: expect.stringContaining("delete_webhook") });
    const pages = await walkTool(listWebhooksTool, contextOf(caller));
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flatMap(({ webhooks }) => webhooks.map(({ id }) => id))).toEqual(ids);
    const { next_cursor: cursor, webhooks } = pages[0] as (typeof pages)[number];
    await remove(caller, webhooks.at(-1)?.id as string);
    const changed = await refusalOf(list(caller, { cursor }));
    expect(changed).toEqual({ code: "invalid_cursor", message: expect.stringContaining("has changed") });
  });
});
