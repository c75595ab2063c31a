import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { createKey } from "#lib/accounts/keys/index";
import { sites } from "#lib/contract/sites";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { catalogue } from "#lib/replay/cassettes/index";
import { listTools } from "#lib/server/mcp/registry";
import type { ToolContext } from "#lib/server/mcp/tool-context";
import { createTestDatabase } from "#tests/support/database";
import { serve } from "#tests/support/serve";
import { defineBench, format, inParallel, limit, median, ratio, spreadOf, takeTurns, timeOf } from "./harness";
import { cpuTimeMs, listProcessTree, startRole } from "./processes";

const concurrency = 8;
const toolName = "get_pricing";
const bareName = "bare SDK";

/** The SDK on plain node:http with our free tools, as in its documentation: the cost of a server that does nothing else. */
export async function bareServer() {
  const [site] = sites;
  const context = { catalogue: catalogue(), origin: "http://127.0.0.1", site } as unknown as ToolContext;
  const tools = await listTools("stateless", "free");
  const makeServer = () => {
    const server = new McpServer({ name: "bare", version: "1.0.0" });
    for (const { tool } of tools) {
      const { name, title, description, annotations, input: inputSchema, output: outputSchema } = tool;
      server.registerTool(name, { title, description, annotations, inputSchema, outputSchema }, async (input) => {
        const result = (await tool.run(context, input)) as Record<string, unknown>;
        return { structuredContent: result, content: [{ type: "text", text: JSON.stringify(result) }] };
      });
    }
    return server;
  };
  const stateless = createMcpHandler(makeServer);
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const answerInSession = async (request: Request) => {
    const known = sessions.get(request.headers.get("mcp-session-id") ?? "");
    if (known) return known.handleRequest(request);
    const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      enableJsonResponse: true,
    });
    await makeServer().connect(transport);
    return transport.handleRequest(request);
  };
  const toRequest = async (message: IncomingMessage) => {
    const parts: Uint8Array[] = [];
    for await (const part of message) parts.push(part);
    const headers = new Headers(message.headers as Record<string, string>);
    return new Request(`http://127.0.0.1${message.url}`, { method: "POST", headers, body: Buffer.concat(parts) });
  };
  const server = createServer(async (message, response) => {
    const request = await toRequest(message);
    const answer = message.url === "/sessions" ? await answerInSession(request) : await stateless.fetch(request);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.text());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return { ready: (server.address() as AddressInfo).port, answer: () => null };
}

type Way = "2026-07-28" | "2025-11-25" | "2025-11-25, session";
type Headers = Record<string, string>;
/** One measured endpoint; `pid` is its server's. */
type Subject = { who: string; way: Way; url: string; pid: number; headers: Headers };

const accepted = { "content-type": "application/json", accept: "application/json, text/event-stream" };

async function withSession(url: string, headers: Headers): Promise<Headers> {
  const clientInfo = { name: "bench", version: "1.0.0" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  const response = await fetch(url, { method: "POST", headers, body });
  await response.text();
  const session = response.headers.get("mcp-session-id");
  if (session === null) throw new Error(`${url} opened no session`);
  return { ...headers, "mcp-session-id": session };
}

/** Returns the request of one call as a client of this revision sends it. */
function toCall({ way, headers }: Subject): { headers: Headers; body: string } {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: toolName, arguments: {} } };
  if (way !== "2026-07-28") return { headers, body: JSON.stringify(call) };
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": way,
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return {
    headers: { ...headers, "mcp-protocol-version": way, "mcp-method": "tools/call", "mcp-name": toolName },
    body: JSON.stringify({ ...call, params: { ...call.params, _meta } }),
  };
}

/** Returns the processor time of a call and the time of each, in milliseconds. */
async function measure(subject: Subject, callCount: number): Promise<{ cpuMs: number; times: number[] }> {
  const call = toCall(subject);
  const pids = listProcessTree(subject.pid);
  const beforeMs = cpuTimeMs(pids);
  const times: number[] = [];
  const callOnce = async () => {
    const response = await fetch(subject.url, { method: "POST", ...call });
    const text = await response.text();
    if (!text.includes("requests_per_day")) throw new Error(`${subject.who}: ${response.status} ${text.slice(0, 300)}`);
  };
  await inParallel(callCount, concurrency, async () => times.push(await timeOf(callOnce)));
  return { cpuMs: (cpuTimeMs(pids) - beforeMs) / callCount, times };
}

export const bench = defineBench({
  about: `tools/call (${toolName}) on the built server, with a key whose requests are counted, beside the plain SDK on node:http with
the same tools, in each revision and with sessions.`,
  options: {
    calls: { default: 1_000, quick: 100, min: 100, max: 100_000, about: "calls of each in one round" },
    rounds: { default: 5, quick: 1, min: 1, max: 20, about: "rounds" },
  },
  async run({ calls, rounds }, { say, cleanUp }) {
    const database = await createTestDatabase();
    cleanUp(database.drop);
    const ours = await serve("node", { DATABASE_URL: database.url, LOG_LEVEL: "warn" });
    cleanUp(ours.stop);
    const bare = await startRole(import.meta.url, bareServer, [], { environment: { NODE_ENV: "production" } });
    const context = { database: database.client, clock: systemClock, ids: systemIds };
    const { key } = await createKey(context, { tier: "enterprise", label: "bench" });
    const own = { ...accepted, authorization: `Bearer ${key}` };
    const bareUrl = `http://127.0.0.1:${bare.ready}`;
    const [mcp, v2] = [`${ours.origin}/api/mcp`, `${ours.origin}/api/mcp/v2`];
    const bareOf = (way: Way, path: string, headers: Headers) => {
      return { who: bareName, way, url: `${bareUrl}${path}`, pid: bare.process.pid, headers };
    };
    const ourOf = (who: string, way: Way, url: string, headers: Headers) => ({ who, way, url, pid: ours.pid, headers });
    const subjects: Subject[] = [
      bareOf("2026-07-28", "/", accepted),
      ourOf("/api/mcp", "2026-07-28", mcp, own),
      ourOf("/api/mcp/v2", "2026-07-28", v2, own),
      bareOf("2025-11-25", "/", accepted),
      ourOf("/api/mcp", "2025-11-25", mcp, own),
      bareOf("2025-11-25, session", "/sessions", await withSession(`${bareUrl}/sessions`, accepted)),
      ourOf("/api/mcp/v2", "2025-11-25, session", v2, await withSession(v2, own)),
    ];
    await takeTurns(subjects, 1, (subject) => measure(subject, Math.min(calls, 1_000)));
    const measured = await takeTurns(subjects, rounds, async (subject, round) => {
      const result = await measure(subject, calls);
      say(
        `round ${round + 1} of ${rounds}, ${subject.way}, ${subject.who}: ${format(result.cpuMs)} ms of CPU per call`,
      );
      return result;
    });
    const results = subjects.map(({ who, way }, index) => {
      const runs = measured[index]!;
      return {
        who,
        way,
        cpuMs: median(runs.map(({ cpuMs }) => cpuMs)),
        ...spreadOf(runs.flatMap(({ times }) => times)),
      };
    });
    const bareMs = (way: Way) => results.find((other) => other.way === way && other.who === bareName)!.cpuMs;
    const rows = results.map(({ who, way, cpuMs, p50Ms, p99Ms }) => [
      ...[way, who, format(cpuMs), format(p50Ms), format(p99Ms)],
      who === bareName ? "–" : ratio(cpuMs, bareMs(way)),
    ]);
    const ratios = (isSession: boolean) =>
      Object.fromEntries(
        results
          .filter(({ who, way }) => who !== bareName && way.endsWith("session") === isSession)
          .map(({ who, way, cpuMs }) => [`${who}, ${way}`, cpuMs / bareMs(way)]),
      );
    return {
      tables: [{ head: ["Revision", "Server", "CPU ms per call", "p50 ms", "p99 ms", "CPU ÷ bare"], rows }],
      goals: [
        ...limit("CPU of a stateless call ≤ 1.5 × bare", ratios(false), { atMost: 1.5, unit: " ×" }),
        ...limit("CPU of a session's call ≤ 2.5 × bare", ratios(true), { atMost: 2.5, unit: " ×" }),
      ],
      results: { concurrency, results },
    };
  },
});
