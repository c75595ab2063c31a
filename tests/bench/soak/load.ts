import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

/** A request of the client that is measured. `atMs` is the time since the start of the load. */
export type Sample = { atMs: number; ms: number; status: number | null };

/** Outcomes of the requests of one kind of client. */
export type Counts = { ok: number; unavailable: number; cut: number; wrong: number };

/** Maximum time for a request that is measured, in milliseconds. */
const sampleTimeoutMs = 30_000;
/** Pause of a client after a request that did not succeed, in milliseconds. */
const retryMs = 200;
/** Time between two requests of the measured client, in milliseconds. */
export const sampleIntervalMs = 100;
const innocentPaths = ["/api/v1/health", "/api/v1/cassettes", "/api/v1/vendors?limit=5"];
const pagePaths = ["/", "/docs/replay", "/docs/api/replay", "/pricing", "/vendors", "/replay"];
const apiPaths = [
  "/api/v1/vendors",
  "/api/v1/stats",
  "/api/v1/feed?limit=20",
  "/api/v1/search?q=contract",
  "/feed.xml",
];

type LoadOptions = {
  origin: string;
  /** Paths of replays; the clients compare every response with the first one. */
  replayPaths: readonly string[];
  /** An API key without a daily limit. */
  key: string;
};

type Outcome = keyof Counts;

function outcomeOf(status: number): Outcome {
  if (status === 503) return "unavailable";
  return status < 400 ? "ok" : "wrong";
}

/** Starts clients of every kind, which run until `stop`. */
export function startLoad({ origin, replayPaths, key }: LoadOptions) {
  const startedMs = performance.now();
  const samples: Sample[] = [];
  const counts: Record<string, Counts> = {};
  const digests = new Map<string, string>();
  const controller = new AbortController();
  const { signal } = controller;
  const clients: Promise<void>[] = [];
  const headers = { authorization: `Bearer ${key}` };

  /** Runs a client: one request after another, with a pause after each. */
  function addClient(kind: string, pauseMs: number, request: (turn: number) => Promise<Outcome>): void {
    counts[kind] ??= { ok: 0, unavailable: 0, cut: 0, wrong: 0 };
    const total = counts[kind];
    const run = async () => {
      for (let turn = 0; !signal.aborted; turn += 1) {
        const outcome = await request(turn).catch((): Outcome => "cut");
        if (signal.aborted) return;
        total[outcome] += 1;
        await delay(outcome === "ok" ? pauseMs : retryMs, undefined, { signal }).catch(() => undefined);
      }
    };
    clients.push(run());
  }

  async function get(path: string): Promise<Outcome> {
    const response = await fetch(`${origin}${path}`, { signal, headers: path.startsWith("/api/") ? headers : {} });
    await response.arrayBuffer();
    return outcomeOf(response.status);
  }

  async function replay(path: string): Promise<Outcome> {
    const response = await fetch(`${origin}${path}`, { signal });
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status !== 200) return outcomeOf(response.status);
    const digest = createHash("sha256").update(bytes).digest("hex");
    const expected = digests.get(path) ?? digest;
    digests.set(path, expected);
    return digest === expected ? "ok" : "wrong";
  }

  async function post(path: string, message: object, session?: string): Promise<Response> {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const sent = { ...headers, "content-type": "application/json", ...(session && { "mcp-session-id": session }) };
    return fetch(`${origin}${path}`, { method: "POST", headers: sent, body, signal });
  }

  /** A client with a session, which outlives the server that opened it. */
  function mcpClient(): (turn: number) => Promise<Outcome> {
    let session: string | undefined;
    return async (turn) => {
      if (session === undefined) {
        const clientInfo = { name: "soak", version: "1.0.0" };
        const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
        const opened = await post("/api/mcp/v2", { id: 0, method: "initialize", params });
        await opened.arrayBuffer();
        session = opened.headers.get("mcp-session-id") ?? undefined;
        return outcomeOf(opened.status);
      }
      const params = { name: turn % 2 ? "get_stats" : "list_vendors", arguments: {} };
      const response = await post("/api/mcp/v2", { id: turn, method: "tools/call", params }, session);
      const text = await response.text();
      if (response.status === 404) session = undefined;
      const isUnavailable = text.includes('"isError":true');
      return response.ok && isUnavailable ? "unavailable" : outcomeOf(response.status);
    };
  }

  /** The measured client does not wait for responses, so that a slow one does not hide the requests behind it. */
  async function sample(path: string): Promise<void> {
    const atMs = performance.now() - startedMs;
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(sampleTimeoutMs)]);
    const status = await fetch(`${origin}${path}`, { signal: timeout }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => null,
    );
    if (!signal.aborted) samples.push({ atMs, ms: performance.now() - startedMs - atMs, status });
  }

  const pick = (paths: readonly string[], turn: number) => paths[turn % paths.length] as string;
  for (let client = 0; client < 40; client += 1) addClient("replays", 50, () => replay(pick(replayPaths, client)));
  for (let client = 0; client < 2; client += 1) addClient("pages", 250, (turn) => get(pick(pagePaths, turn)));
  for (let client = 0; client < 4; client += 1) addClient("API", 100, (turn) => get(pick(apiPaths, turn)));
  for (let client = 0; client < 4; client += 1) addClient("MCP sessions", 200, mcpClient());
  let turn = 0;
  const timer = setInterval(() => {
    sample(pick(innocentPaths, turn));
    turn += 1;
  }, sampleIntervalMs);

  return {
    samples,
    counts,
    nowMs: () => performance.now() - startedMs,
    async stop(): Promise<void> {
      clearInterval(timer);
      controller.abort();
      await Promise.all(clients);
    },
  };
}
