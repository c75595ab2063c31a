import { describe, expect, inject, it } from "vitest";

const url = () => `${inject("baseUrl")}/api/mcp`;
const post = (body: string, headers: Record<string, string> = {}) =>
  fetch(url(), { method: "POST", body, headers: { "content-type": "application/json", ...headers } });
const rpc = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

const freeTools = [
  ...["list_cassettes", "get_cassette", "replay_cassette", "random_replay", "search"],
  ...["list_vendors", "search_vendors", "get_stats", "get_pricing", "get_guide"],
];

describe("/api/mcp", () => {
  it("returns its identity, and refuses to open an event stream", async () => {
    const identity = await fetch(url());
    expect(await identity.json()).toEqual({ name: "tapedeck", version: "1.0.0", protocol: "2024-11-05" });
    expect((await fetch(url(), { headers: { accept: "text/event-stream" } })).status).toBe(405);
  });

  it("answers with JSON if the client accepts any type", async () => {
    const response = await post(rpc("tools/list"), { accept: "*/*" });
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    const { result } = (await response.json()) as { result: { tools: { name: string }[] } };
    expect(result.tools.map(({ name }) => name)).toEqual(freeTools);
  });

  it("answers with an event if the client accepts those", async () => {
    const response = await post(rpc("ping"), { accept: "application/json, text/event-stream" });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(await response.text()).toBe('event: message\ndata: {"result":{},"jsonrpc":"2.0","id":1}\n\n');
  });

  it.each(["initialize", "resources/subscribe", "resources/unsubscribe"])(
    "answers %s, which revision 2026-07-28 does not have, with 404 and -32601",
    async (method) => {
      const version = "2026-07-28";
      const capabilities = { "io.modelcontextprotocol/clientCapabilities": {} };
      const params = { _meta: { "io.modelcontextprotocol/protocolVersion": version, ...capabilities } };
      for (const path of ["", "/v2"]) {
        const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
        const revision = { "mcp-protocol-version": version, "mcp-method": method };
        const sent = { method: "POST", body: rpc(method, params), headers: { ...headers, ...revision } };
        const response = await fetch(`${url()}${path}`, sent);
        expect([response.status, await response.json()]).toMatchObject([404, { error: { code: -32601 } }]);
      }
    },
  );

  it("refuses an unknown revision with 400", async () => {
    const response = await post(rpc("ping"), { "mcp-protocol-version": "1999-01-01" });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: -32000 }, id: 1 }]);
  });

  it.each([
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
    ["{", -32700],
    ["[]", -32600],
    [`[${rpc("tools/list")}]`, -32600],
    ["{}", -32600],
    ['"x"', -32600],
    ["null", -32600],
    ['{"jsonrpc":"1.0","method":"x"}', -32600],
  ])("answers %s with 400 and %d", async (body, code) => {
    const response = await post(body);
    expect([response.status, ((await response.json()) as { error: { code: number } }).error.code]).toEqual([400, code]);
  });

  it("refuses a body over 1 MiB", async () => {
    expect((await post(`"${"x".repeat(1024 * 1024)}"`)).status).toBe(413);
  });
});
