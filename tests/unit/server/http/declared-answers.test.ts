import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { isExtended } from "#tests/support/extended";
import { serveEndpoints } from "#tests/support/served-endpoints";

let served: Awaited<ReturnType<typeof serveEndpoints>>;
beforeAll(async () => {
  served = await serveEndpoints();
});
afterAll(() => served.close());

const json = { "content-type": "application/json" };

describe("an answer is declared", () => {
  const check = (method: string, path: string, target: string, init: RequestInit = {}) =>
    served.findUndeclared({ method, path, target, init });

  it("to an undecodable path, of every operation with a parameter", async () => {
    const withParameter = served.operations.filter(({ path }) => path.includes("{"));
    expect(withParameter.length).toBeGreaterThan(10);
    for (const { method, path } of withParameter) {
      const target = path.replaceAll(/\{\w+\}/g, "%ff");
      expect([path, await check(method, path, target)]).toEqual([path, { status: 400, problems: [] }]);
    }
  });

  it.each(["application/json", "application/x-www-form-urlencoded"])("to a request for a key in %s", async (type) => {
    const path = "/api/v1/payment/reveal";
    const answer = await check("post", path, path, { headers: { "content-type": type }, body: "{}" });
    expect(answer).toEqual({ status: 400, problems: [] });
  });

  it.each(["confirm", "unsubscribe"])("to the links of digests: %s", async (action) => {
    const path = `/api/v1/digests/${action}`;
    for (const method of ["get", "post"])
      for (const [token, status] of [
        ["a".repeat(43), 404],
        ["a", 400],
      ] as const)
        expect(await check(method, path, `${path}?token=${token}`)).toEqual({ status, problems: [] });
  });

  it("in every form of a drop-in answer, and to the replay of its cassette", async () => {
    const messages = [{ role: "user", content: "Hello" }];
    const ollama = { model: "cassette:small-business/unit-price-labels", messages };
    const contents = [{ role: "user", parts: [{ text: "Hello" }] }];
    const gemini = "/v1beta/models/{model}:generateContent";
    const streamed = gemini.replace(":g", ":streamG");
    const cassette = "finance/currency-exposure";
    const stream = "/v1beta/models/gemini-2.5-flash:streamGenerateContent?speed=max";
    for (const [path, target, body] of [
      ["/api/chat", "/api/chat?speed=max", ollama],
      ["/api/chat", "/api/chat?speed=max", { ...ollama, stream: false }],
      [streamed, stream, { contents }],
      [streamed, `${stream}&alt=sse`, { contents }],
      [gemini, stream.replace("streamG", "g"), { contents }],
    ] as const) {
      const init = { headers: { ...json, "x-replay-cassette": cassette }, body: JSON.stringify(body) };
      expect(await check("post", path, target, init)).toEqual({ status: 200, problems: [] });
    }
    const replay = "/api/v1/replay/{vertical}/{cookbook}";
    for (const id of ["small-business/unit-price-labels", cassette])
      expect(await check("get", replay, `/api/v1/replay/${id}?speed=max`)).toEqual({ status: 200, problems: [] });
  });
});

/** Texts that PostgreSQL or a regular expression may not take: NUL; if extended, half a character, long ones, many accents. */
const hostileTexts = [
  "a\0b",
  ...(isExtended ? ["\ud800", "\udfff a", `a${"\u0301".repeat(1_500)}`, "😀".repeat(1_000), "İ".repeat(1_500)] : []),
];

/** Percent-encodes a text; half a character becomes an encoding that is not UTF-8. */
const encode = (text: string) => (Buffer.from(text).toString() === text ? encodeURIComponent(text) : "%ed%a0%80");

/** Returns copies of a value, each with one of its strings replaced, also the names of its fields. */
function withText(value: unknown, text: string): unknown[] {
  if (typeof value === "string") return [text];
  if (Array.isArray(value)) return value.flatMap((one, at) => withText(one, text).map((new_) => value.with(at, new_)));
  if (typeof value !== "object" || value === null) return [];
  const entries = Object.entries(value);
  return [
    ...entries.flatMap(([name, one]) => withText(one, text).map((changed) => ({ ...value, [name]: changed }))),
    { ...value, [text]: text },
  ];
}

describe("hostile texts", () => {
  const newKey = async () => {
    const context = { database: served.database.client, clock: systemClock, ids: systemIds };
    return (await createKey(context, { tier: "pro" })).key;
  };

  it("in each parameter and field of each operation get a declared answer, which is never an error of the server", async () => {
    let count = 0;
    for (const { method, path, parameters = [], requestBody } of served.operations) {
      const headers = { ...json, authorization: `Bearer ${await newKey()}`, "x-replay-speed": "max" };
      const send = async (target: string, body?: unknown) => {
        count += 1;
        const init = { headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
        const { status, problems } = await served.findUndeclared({ method, path, target, init });
        // Payment is not configured here.
        const isExpected = status < 500 || status === 503 || /payment|stripe/.test(path);
        expect([method, target.slice(0, 200), status, isExpected, problems]).toEqual([
          method,
          target.slice(0, 200),
          status,
          true,
          [],
        ]);
      };
      const plain = path.replaceAll(/\{\w+\}/g, "x");
      const example = Object.values(requestBody?.content ?? {})[0]?.example;
      for (const text of hostileTexts) {
        for (const { name, in: place } of parameters) {
          if (place === "query") await send(`${plain}?${name}=${encode(text)}`, example);
          if (place === "path")
            await send(path.replace(`{${name}}`, encode(text)).replaceAll(/\{\w+\}/g, "x"), example);
        }
        for (const body of withText(example, text)) await send(plain, body);
      }
    }
    expect(count).toBeGreaterThan(100);
  });

  it("in each argument of each MCP tool are a result or an error of the caller", async () => {
    const headers = { ...json, authorization: `Bearer ${await newKey()}` };
    const call = async (method: string, params: unknown) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      return (await fetch(`${served.origin}/api/mcp`, { method: "POST", headers, body })).json();
    };
    type Tool = { name: string; inputSchema: { properties?: Record<string, { type?: string }> } };
    const { tools } = (await call("tools/list", {})).result as { tools: Tool[] };
    let count = 0;
    for (const { name, inputSchema } of tools)
      for (const argument of Object.keys(inputSchema.properties ?? {}))
        for (const text of hostileTexts) {
          count += 1;
          const { result, error } = await call("tools/call", { name, arguments: { [argument]: text } });
          expect([name, argument, error?.code === -32603]).toEqual([name, argument, false]);
          expect([name, argument, JSON.stringify(result ?? "").includes("internal_error")]).toEqual([
            name,
            argument,
            false,
          ]);
        }
    expect(count).toBeGreaterThan(30);
  });
});
