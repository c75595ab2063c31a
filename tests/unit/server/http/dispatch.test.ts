import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { createKey, rotateKey, verifyKey } from "#lib/accounts/keys/index";
import { clientSubject } from "#lib/accounts/limits/index";
import { defineEndpoint, type Endpoint } from "#lib/contract/endpoint";
import { systemClock } from "#lib/platform/clock";
import { childEnvironment, withEnvironment } from "#lib/platform/config";
import { systemIds } from "#lib/platform/ids";
import { dispatch } from "#lib/server/http/dispatch";
import type { RequestView } from "#lib/server/http/request";
import { takeSingletons } from "#tests/support/own-singletons";
import { sharedDatabase } from "#tests/support/shared-database";

const database = sharedDatabase();
let giveBack: () => Promise<void>;
beforeAll(() => {
  giveBack = takeSingletons();
});
afterAll(() => giveBack());

const responses = {
  200: { description: "ok", body: { type: "application/json", schema: z.looseObject({}), example: {} } },
};
const base = {
  id: "getThing",
  method: "GET",
  path: "/api/v1/thing",
  tag: "Operations",
  summary: "Get the thing",
  description: "The thing.",
  responses,
  errors: {},
} as const;
const optional = defineEndpoint({ ...base, auth: "optional", limited: true });
const required = defineEndpoint({ ...base, auth: "required", limited: true });
const open = defineEndpoint({ ...base, auth: "none" });
const recognizing = defineEndpoint({ ...open, recognizesKey: true });

let lastHost = 0;
/** Returns an address that no other test has used. */
const freshAddress = () => `192.0.2.${++lastHost}`;

type RequestOptions = {
  key?: string;
  address?: string;
  headers?: Record<string, string>;
  target?: string;
  method?: string;
};

async function send(
  endpoint: Endpoint,
  { key, address = freshAddress(), headers = {}, target = base.path, method = "GET" }: RequestOptions = {},
) {
  const sent: Record<string, string> = { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers };
  const view: RequestView = {
    method,
    target,
    header: (name) => sent[name.toLowerCase()] ?? null,
    headers: () => new Headers(sent),
    encrypted: false,
    socketAddress: address,
    params: {},
    signal: () => new AbortController().signal,
    readBody: async () => new Uint8Array(),
  };
  const environment = childEnvironment({ DATABASE_URL: database.url, LOG_LEVEL: "silent" });
  const reply = await withEnvironment(environment, () =>
    dispatch(endpoint, ({ caller }) => ({ tier: caller.tier, keyId: caller.keyId }), view),
  );
  const json = reply.body.kind === "text" ? JSON.parse(String(reply.body.text)) : null;
  return { status: reply.status, headers: reply.headers, json };
}

const context = () => ({ database: database.client, clock: systemClock, ids: systemIds });
const createFor = (tier: "free" | "starter" | "pro" | "enterprise_plus") => createKey(context(), { tier });
const limitsOf = ({ headers }: { headers: Record<string, string> }) =>
  ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"].map((name) => headers[name]);
const midnight = () => String((Math.floor(Date.now() / 86_400_000) + 1) * 86_400);
const exhaustLimit = (subject: string) =>
  database.client.limitWindow.updateMany({ where: { subject }, data: { count: 1_000_000 } });

describe("an endpoint without authentication", () => {
  test("ignores an invalid key, does not count requests, and is cacheable by shared caches", async () => {
    const before = await database.client.limitWindow.count();
    const answer = await send(open, { key: "broken" });
    expect([answer.status, answer.json]).toEqual([200, { tier: "free", keyId: null }]);
    expect(limitsOf(answer)).toEqual([undefined, undefined, undefined]);
    expect(answer.headers["Cache-Control"]).toBe("public, max-age=0, must-revalidate");
    expect(answer.headers.Vary).toBeUndefined();
    expect(await database.client.limitWindow.count()).toBe(before);
  });
});

describe("an endpoint that recognizes a key", () => {
  test("counts neither requests without a key nor those with a valid one", async () => {
    const { key, stored } = await createFor("free");
    const answers = [await send(recognizing), await send(recognizing, { key })];
    expect(answers.map(({ json }) => json.keyId)).toEqual([null, stored.id]);
    expect(answers.flatMap(limitsOf)).toEqual(Array(6).fill(undefined));
  });

  test.each(["Basic dXNlcjpwYXNz", "Bearer of-another-service"])(
    "ignores %s, which is no key",
    async (authorization) => {
      const answer = await send(recognizing, { headers: { authorization } });
      expect([answer.status, answer.json, ...limitsOf(answer)]).toEqual([
        200,
        { tier: "free", keyId: null },
        ...Array(3),
      ]);
    },
  );

  test.each([
    ["a key with a typo", "Bearer ltf_x", /^This is not a valid API key/],
    ["an unknown key", "Bearer ltf_000000000000000000000000000000004NW1lu", /^This API key is unknown\./],
    ["a header without Bearer", "ltf_000000000000000000000000000000004NW1lu", /^The Authorization header is malformed/],
  ])(
    "refuses %s, counts it on the client's address, and says so at its limit too",
    async (_name, authorization, why) => {
      const address = freshAddress();
      const request = { address, headers: { authorization } };
      const answer = await send(recognizing, request);
      expect([answer.status, answer.json.code, limitsOf(answer)]).toEqual([
        401,
        "unauthorized",
        ["100", "99", midnight()],
      ]);
      expect(answer.json.error).toMatch(why);
      await exhaustLimit(clientSubject(address, new Date()));
      const refused = await send(recognizing, request);
      expect([refused.status, refused.headers["Retry-After"]]).toEqual([429, expect.stringMatching(/^\d+$/)]);
      expect(refused.json.error).toMatch(why);
      expect(refused.json.error).toContain("Today's 100 requests are used up.");
      expect((await send(recognizing, { address })).status).toBe(200);
    },
  );
});

describe("an endpoint with an optional key", () => {
  test("serves a caller without a key on the free tier, with its limit", async () => {
    const address = freshAddress();
    const answer = await send(optional, { address });
    expect([answer.status, answer.json]).toEqual([200, { tier: "free", keyId: null }]);
    expect(limitsOf(answer)).toEqual(["100", "99", midnight()]);
    // Also charged for invalid input.
    const strict = { ...optional, query: z.object({ limit: z.literal("1") }) };
    const second = await send(strict, { address, target: "/api/v1/thing?limit=x" });
    expect([second.status, limitsOf(second)]).toEqual([400, ["100", "98", midnight()]]);
    expect(answer.headers["Access-Control-Allow-Origin"]).toBe("*");
    expect(answer.headers["Access-Control-Expose-Headers"]).toBe("*");
  });

  test("serves a key on its tier, with one limit for all client addresses", async () => {
    const { key, stored } = await createFor("starter");
    const answer = await send(optional, { key });
    expect([answer.status, answer.json]).toEqual([200, { tier: "starter", keyId: stored.id }]);
    expect(limitsOf(answer)).toEqual(["5000", "4999", midnight()]);
    expect(limitsOf(await send(optional, { key }))[1]).toBe("4998");
  });

  test("sends no limit headers for a plan without a limit", async () => {
    const { key } = await createFor("enterprise_plus");
    const answer = await send(optional, { key });
    expect([answer.status, answer.json.tier]).toEqual([200, "enterprise_plus"]);
    expect(limitsOf(answer)).toEqual([undefined, undefined, undefined]);
  });

  test.each(["broken", "ltf_000000000000000000000000000000004NW1lu"])(
    "refuses the key %s, counts the request on the client's address, and sends WWW-Authenticate",
    async (key) => {
      const address = freshAddress();
      const answer = await send(optional, { key, address });
      expect([answer.status, answer.json.code]).toEqual([401, "unauthorized"]);
      expect(limitsOf(answer)).toEqual(["100", "99", midnight()]);
      expect(answer.headers["WWW-Authenticate"]).toBe("Bearer");
      expect(limitsOf(await send(optional, { address }))[1]).toBe("98");
    },
  );

  test("sends responses that shared caches do not store and that vary by key, and still answers 304", async () => {
    const { key } = await createFor("pro");
    const first = await send(optional, { key });
    expect(first.headers).toMatchObject({
      "Cache-Control": "private, max-age=0, must-revalidate",
      Vary: "Authorization",
    });
    const headers = { "if-none-match": first.headers.ETag as string };
    const again = await send(optional, { key, headers });
    expect([again.status, limitsOf(again)[1], again.headers.Vary]).toEqual([304, "49998", "Authorization"]);
    expect((await send(optional, { headers })).status).toBe(200);
  });
});

describe("an endpoint that requires a key", () => {
  test("does not count requests if it is not limited", async () => {
    const answer = await send({ ...required, limited: undefined });
    expect([answer.status, limitsOf(answer)]).toEqual([401, [undefined, undefined, undefined]]);
  });

  test("is not open to the scripts of other origins", async () => {
    const { key } = await createFor("free");
    expect((await send(required, { key })).headers["Access-Control-Allow-Origin"]).toBeUndefined();
    expect((await send(optional, { key })).headers["Access-Control-Allow-Origin"]).toBe("*");
  });
});

describe("a minimum tier", () => {
  test.each([
    ["free", "starter", 403],
    ["starter", "starter", 200],
    ["starter", "pro", 403],
    ["enterprise_plus", "pro", 200],
  ] as const)("for a %s key where %s is required gives %i", async (tier, minimum, status) => {
    const { key } = await createFor(tier);
    const answer = await send({ ...required, minimumTier: { tier: minimum, code: "forbidden" } }, { key });
    expect(answer.status).toBe(status);
  });

  test("refuses a caller without a key with its own code if the key is optional, otherwise as unauthorized", async () => {
    const forbidden = { tier: "starter", code: "forbidden" } as const;
    expect((await send({ ...optional, minimumTier: forbidden })).json.code).toBe("forbidden");
    expect((await send({ ...required, minimumTier: forbidden })).json.code).toBe("unauthorized");
    const { key } = await createFor("free");
    const unauthorized = { tier: "starter", code: "unauthorized" } as const;
    expect((await send({ ...required, minimumTier: unauthorized }, { key })).status).toBe(401);
  });
});

describe("a caller over the limit", () => {
  test("gets 429 before its tier and input are checked, with limit headers and Retry-After", async () => {
    const { key, stored } = await createFor("free");
    await send(optional, { key });
    await exhaustLimit(`key:${stored.limitId}`);
    const query = z.object({ limit: z.literal("1") });
    const strict = { ...optional, query, minimumTier: { tier: "pro", code: "forbidden" } } as const;
    const answer = await send(strict, { key, target: "/api/v1/thing?limit=x" });
    expect([answer.status, answer.json.code]).toEqual([429, "rate_limited"]);
    expect(limitsOf(answer)).toEqual(["100", "0", midnight()]);
    const seconds = Number(answer.headers["Retry-After"]);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(86_400);
  });

  test("is served immediately after an upgrade of its account", async () => {
    const { key, stored } = await createFor("free");
    await send(optional, { key });
    await database.client.limitWindow.updateMany({ where: { subject: `key:${stored.limitId}` }, data: { count: 100 } });
    expect((await send(optional, { key })).status).toBe(429);
    await database.client.account.update({ where: { id: stored.accountId }, data: { tier: "starter" } });
    expect(limitsOf(await send(optional, { key }))).toEqual(["5000", "4898", midnight()]);
  });

  test("gains nothing from a rotation: the old key in its grace period and the new key share the count", async () => {
    const { key } = await createFor("free");
    await send(optional, { key });
    const caller = await verifyKey(context(), `Bearer ${key}`);
    const { new_key } = await rotateKey({ ...context(), caller }, { query: { grace: "true" } });
    expect(limitsOf(await send(optional, { key: new_key }))[1]).toBe("98");
    expect(limitsOf(await send(optional, { key }))[1]).toBe("97");
  });
});

test.each([
  ["a field that its declaration lacks", z.object({ tier: z.string() })],
  ["a missing field", z.looseObject({ limit: z.int() })],
])("outside production, a response with %s is an error", async (_case, schema) => {
  const body = { type: "application/json", schema, example: {} };
  const answer = await send({ ...open, responses: { 200: { description: "ok", body } } });
  expect([answer.status, answer.json.code]).toEqual([500, "internal_error"]);
});
