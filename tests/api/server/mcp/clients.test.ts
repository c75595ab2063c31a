import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { createMCPClient } from "@ai-sdk/mcp";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FormerClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FormerTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { childEnvironment } from "#lib/platform/config";
import { announceChange } from "#tests/support/announce-change";
import { addAppVendor, removeAppVendors } from "#tests/support/app-vendors";
import { deferred } from "#tests/support/deferred";
import { isExtended } from "#tests/support/extended";
import { issueKey, withAppDatabase } from "#tests/support/keys";

const endpoints = [
  ["/api/mcp", 10],
  ["/api/mcp/v2", 8],
] as const;
const urlOf = (path: string) => new URL(`${inject("baseUrl")}${path}`);
const announce = (slug: string) => withAppDatabase((database) => announceChange(database, slug));

let key: string;
let uri: string;
let slug: string;
beforeAll(async () => {
  ({ key } = await issueKey("free"));
  ({ slug } = await addAppVendor());
  uri = `tapedeck://vendors/${slug}`;
});
afterAll(removeAppVendors);
const withKey = () => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

describe.each(endpoints)("%s", (path, toolCount) => {
  it.each(["auto", "legacy"] as const)("serves the official SDK's client (%s)", async (mode) => {
    const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(urlOf(path), withKey()));
    try {
      expect((await client.listTools()).tools).toHaveLength(toolCount);
      const guide = await client.callTool({ name: "get_guide", arguments: { guide: "webhooks" } });
      expect(JSON.stringify(guide.structuredContent)).toContain("X-LTF-Signature");
      const { resources } = await client.listResources();
      expect(resources.map((resource) => resource.uri)).toContain("tapedeck://docs/webhooks");
      const page = await client.readResource({ uri: "tapedeck://docs/decisions/2026-11-21-one-pacer" });
      expect(JSON.stringify(page.contents)).toContain("pacer");
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain("tapedeck://vendors/{slug}");
      const { completion } = await client.complete({
        ref: { type: "ref/resource", uri: "tapedeck://cassettes/{vertical}/{slug}" },
        argument: { name: "slug", value: "nda" },
        context: { arguments: { vertical: "legal" } },
      });
      expect(completion.values).toEqual(["nda-review"]);
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).toContain("verify_webhook");
      const prompt = await client.getPrompt({ name: "verify_webhook", arguments: { language: "Go" } });
      expect(JSON.stringify(prompt.messages)).toContain("Go HTTP handler");
      await expect(client.readResource({ uri: "tapedeck://vendors/nobody-here" })).rejects.toThrow();
    } finally {
      await client.close();
    }
  });

  it("serves the previous SDK's client", async () => {
    const client = new FormerClient({ name: "test", version: "1.0.0" });
    await client.connect(new FormerTransport(urlOf(path), withKey()) as never);
    try {
      expect((await client.listTools()).tools).toHaveLength(toolCount);
      const result = await client.callTool({ name: "get_stats", arguments: {} });
      expect(result.structuredContent).toMatchObject({ vendors: expect.any(Number) });
    } finally {
      await client.close();
    }
  });

  it("serves the AI SDK's client", async () => {
    const transport = { type: "http", url: urlOf(path).href, headers: { authorization: `Bearer ${key}` } } as const;
    const client = await createMCPClient({ transport });
    try {
      const tools = await client.tools();
      expect(Object.keys(tools)).toHaveLength(toolCount);
      const options = { toolCallId: "1", messages: [] };
      const result = await tools.get_pricing?.execute({}, options);
      expect(JSON.stringify(result)).toContain("requests_per_day");
    } finally {
      await client.close();
    }
  });

  it.runIf(isExtended || path === "/api/mcp/v2")("serves stdio clients through mcp-remote", async () => {
    const folder = await mkdtemp(join(tmpdir(), "mcp-remote-"));
    const script = resolve(import.meta.dirname, "../../../../node_modules/mcp-remote/dist/proxy.js");
    const child = spawn(process.execPath, [script, urlOf(path).href, "--allow-http"], {
      env: childEnvironment({ MCP_REMOTE_CONFIG_DIR: folder }),
      stdio: ["pipe", "pipe", "ignore"],
    });
    try {
      const lines = createInterface({ input: child.stdout });
      const clientInfo = { name: "test", version: "1.0.0" };
      const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
      send({ id: 0, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
      for await (const line of lines) {
        const { id, result } = JSON.parse(line);
        if (id === 1) {
          expect(result.tools).toHaveLength(toolCount);
          break;
        }
        send({ method: "notifications/initialized" });
        send({ id: 1, method: "tools/list" });
      }
    } finally {
      child.kill();
      await once(child, "exit");
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe("a vendor's change", () => {
  it("is sent to a client that subscribed in a session", async () => {
    const arrived = deferred<string>();
    const client = new FormerClient({ name: "test", version: "1.0.0" });
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => arrived.resolve(params.uri));
    await client.connect(new FormerTransport(urlOf("/api/mcp/v2"), withKey()) as never);
    try {
      await client.subscribeResource({ uri });
      await announce(slug);
      expect(await arrived.promise).toBe(uri);
    } finally {
      await client.close();
    }
  });

  it.each(["/api/mcp", "/api/mcp/v2"])("is sent to a client that listens without a session at %s", async (path) => {
    const arrived = deferred<string>();
    const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => arrived.resolve(params.uri));
    await client.connect(new StreamableHTTPClientTransport(urlOf(path), withKey()));
    try {
      await client.listen({ resourceSubscriptions: [uri] });
      await announce(slug);
      expect(await arrived.promise).toBe(uri);
    } finally {
      await client.close();
    }
  });
});
