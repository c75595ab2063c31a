import { describe, expect, inject, it } from "vitest";
import { exampleOrigin } from "#lib/contract/example-origin";
import { sites } from "#lib/contract/sites";
import { sendRpc } from "#tests/support/mcp";
import { parseRawResponse, sendRaw } from "#tests/support/send-raw";
import { ask } from "./follow-links";

const documents = ["/docs/quickstart.md", "/docs/test-your-app.md", "/docs/quickstart", "/docs/drop-in", "/docs/fleet"];
const others = ["/llms.txt", "/llms-full.txt", "/openapi.json", "/docs/api/replay"];

/** Gets a document with any `Host` header, as written. */
async function askAs(host: string, path: string, headers: readonly string[] = []) {
  const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, "Connection: close", ...headers, "", ""];
  const response = parseRawResponse(await sendRaw(inject("baseUrl"), lines.join("\r\n")));
  if (!response) throw new Error("no response");
  return response;
}

describe("examples use the origin of the request", () => {
  it.each([...documents, ...others])("in %s, for each site", async (path) => {
    for (const { slug } of sites) {
      const origin = `http://${slug}.localhost:${new URL(inject("baseUrl")).port}`;
      const { text } = await ask(`${origin}${path}`);
      expect([path, text.includes(origin), text.includes(exampleOrigin)]).toEqual([path, true, false]);
    }
  });

  it("in guides and documents over MCP", async () => {
    for (const origin of [inject("baseUrl"), inject("routeUrl")]) {
      const guide = { name: "get_guide", arguments: { guide: "quickstart" } };
      const read = { uri: "tapedeck://docs/quickstart" };
      for (const message of [
        { id: 1, method: "tools/call", params: guide },
        { id: 2, method: "resources/read", params: read },
      ]) {
        const text = JSON.stringify((await sendRpc("/api/mcp", message, { origin })).json.result);
        expect([text.includes(`${origin}/api/v1/replay`), text.includes(exampleOrigin)]).toEqual([true, false]);
      }
    }
  });
});

describe("a Host header of someone else", () => {
  it.each(["/docs/quickstart.md", "/llms-full.txt"])("changes %s for that request alone", async (path) => {
    const own = new URL(inject("baseUrl")).host;
    const theirs = await askAs("evil.example", path);
    expect(theirs.body).toContain("http://evil.example/api/v1/replay");
    // A shared cache that ignores the host has to revalidate, and its copy is not current.
    expect(theirs.headers.get("cache-control")).toBe("public, max-age=0, must-revalidate");
    const again = await askAs(own, path, [`If-None-Match: ${theirs.headers.get("etag")}`]);
    expect([again.status, again.body.includes("evil.example")]).toEqual([200, false]);
    expect(again.body).toContain(`${inject("baseUrl")}/api/v1/replay`);
  });
});
