import { readFileSync } from "node:fs";
import { encode } from "gpt-tokenizer";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { dayOf } from "#lib/accounts/limits/subjects";
import { issueKey, withAppDatabase } from "#tests/support/keys";
import { openMcpSession, sendRpc, toolNames } from "#tests/support/mcp";

const keys: Record<"free" | "starter" | "pro", string> = { free: "", starter: "", pro: "" };
let used: Awaited<ReturnType<typeof issueKey>>;

beforeAll(async () => {
  for (const tier of ["free", "starter", "pro"] as const) keys[tier] = (await issueKey(tier)).key;
  used = await issueKey("free");
});

const call = (name: string, input: object, key?: string) =>
  sendRpc("/api/mcp", { id: 1, method: "tools/call", params: { name, arguments: input } }, { key });

describe("tools by tier at /api/mcp", () => {
  it("each tier has the tools of the one below and the committed ones, with the size of its list in tokens", async () => {
    const docs = readFileSync("content/docs/mcp.md", "utf8");
    let below: object[] = [];
    for (const [tier, count] of Object.entries({ free: 10, starter: 20, pro: 27 })) {
      const { json } = await sendRpc("/api/mcp", { id: 1, method: "tools/list" }, { key: keys[tier as "free"] });
      const tools = json.result.tools as object[];
      expect([tools.length, tools.slice(0, below.length)]).toEqual([count, below]);
      const tokenCount = encode(JSON.stringify(tools)).length;
      expect(docs).toContain(`${tokenCount.toLocaleString("en")} `);
      const text = JSON.stringify({ count, tokenCount, tools: tools.slice(below.length) }, null, 2);
      await expect(`${text}\n`).toMatchFileSnapshot(`lists/${tier}.json`);
      below = tools;
    }
  });

  it("returns the required tier for a tool of a higher tier", async () => {
    const { status, json } = await call("list_webhooks", {}, keys.starter);
    expect([status, json.result.isError]).toEqual([200, true]);
    expect(json.result.content).toEqual([
      {
        type: "text",
        text: "list_webhooks needs an API key of the pro plan ($99 a month) or a higher one here: get_pricing lists the plans.",
      },
    ]);
    const free = /^get_feed needs an API key of the starter plan .* At \/api\/mcp\/v2 it needs no key\.$/;
    expect((await call("get_feed", {})).json.result.content).toEqual([
      { type: "text", text: expect.stringMatching(free) },
    ]);
    const elsewhere = / GET \/api\/v1\/models has the same without a key\."/;
    expect(JSON.stringify((await call("list_models", {})).json.result.content)).toMatch(elsewhere);
  });

  it("refuses an invalid key even for requests that need no key, and counts it", async () => {
    const { status, json, headers } = await sendRpc("/api/mcp", { id: 1, method: "tools/list" }, { key: "ltf_wrong" });
    expect([status, json]).toEqual([401, expect.objectContaining({ code: "unauthorized", status: 401 })]);
    expect(headers.get("x-ratelimit-limit")).toBe("100");
  });

  it("reports an unknown tool, an unknown method and invalid arguments as the protocol requires", async () => {
    const unknown = await call("no_such_tool", {});
    expect([unknown.status, unknown.json.error.code]).toEqual([200, -32602]);
    const method = await sendRpc("/api/mcp", { id: 1, method: "no/such" });
    expect([method.status, method.json.error.code]).toEqual([200, -32601]);
    const wrong = await call("get_cassette", { slug: 7 });
    expect(wrong.json.result).toMatchObject({
      isError: true,
      content: [
        { text: expect.stringMatching(/: unknown: slug \(the arguments are [\w, ]+\), pass either id or request$/) },
      ],
    });
  });
});

describe("the prompt on a vendor's changes", () => {
  it("names what its caller can use", async () => {
    const prompt = async (path: "/api/mcp" | "/api/mcp/v2", options: object) => {
      const params = { name: "summarize_vendor_changes", arguments: { vendor: "quarrydb" } };
      const { json } = await sendRpc(path, { id: 1, method: "prompts/get", params }, options);
      const [{ content }] = json.result.messages as [{ content: { text: string } }];
      return content.text;
    };
    const tools = 'get_feed with {"slug": "quarrydb"}, and get_diff_summary with {"slug": "quarrydb"}.';
    expect(await prompt("/api/mcp", { key: keys.starter })).toContain(tools);
    expect(await prompt("/api/mcp/v2", { session: await openMcpSession({}) })).toContain(tools);
    const [, path = ""] = /Read http:\/\/[^/]+(\/\S+), which/.exec(await prompt("/api/mcp", {})) ?? [];
    expect(await (await fetch(`${inject("baseUrl")}${path}`)).text()).toContain("QuarryDB");
  });

  it("is an error for a vendor that does not exist", async () => {
    for (const vendor of ["no-such-vendor", "Not a slug"]) {
      const params = { name: "summarize_vendor_changes", arguments: { vendor } };
      const { json } = await sendRpc("/api/mcp", { id: 1, method: "prompts/get", params });
      expect(json.error).toEqual({ code: -32602, message: expect.stringContaining(`there is no vendor "${vendor}"`) });
    }
  });
});

describe("the daily limit", () => {
  it("counts only tools/call, and refuses calls with a result when it is exhausted", async () => {
    const before = await sendRpc("/api/mcp", { id: 1, method: "tools/list" }, { key: used.key });
    expect(before.headers.get("x-ratelimit-limit")).toBeNull();
    const first = await call("get_pricing", {}, used.key);
    expect(first.headers.get("x-ratelimit-remaining")).toBe("99");
    await withAppDatabase((database) =>
      database.limitWindow.updateMany({
        where: { subject: `key:${used.stored.limitId}`, day: new Date(dayOf(new Date())) },
        data: { count: 100 },
      }),
    );
    const over = await call("get_pricing", {}, used.key);
    expect([over.status, over.headers.get("x-ratelimit-remaining")]).toEqual([200, "0"]);
    expect(over.json.result).toMatchObject({
      isError: true,
      content: [{ type: "text", text: expect.stringMatching(/limit resets at \d{4}-\d\d-\d\dT00:00:00.000Z/) }],
    });
    expect(Number(over.headers.get("retry-after"))).toBeGreaterThan(0);
    const session = await openMcpSession({ key: used.key });
    expect(await toolNames("/api/mcp/v2", { key: used.key, session })).toHaveLength(8);
  });
});
