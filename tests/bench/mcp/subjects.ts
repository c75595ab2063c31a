import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createKey } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { childEnvironment } from "#lib/platform/config";
import { systemIds } from "#lib/platform/ids";
import { createTestDatabase } from "../../support/database";
import { serve } from "../../support/serve";

export type Way = "2026-07-28" | "2025-11-25" | "2025-11-25, session";
/** One measured endpoint; `pid` is its server's. */
export type Subject = { who: string; way: Way; url: string; pid: number; headers: Record<string, string> };

const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1.0.0" } },
};
const accepted = { "content-type": "application/json", accept: "application/json, text/event-stream" };

async function withSession(url: string, headers: Record<string, string>): Promise<Record<string, string>> {
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(initialize) });
  await response.text();
  const session = response.headers.get("mcp-session-id");
  if (session === null) throw new Error(`${url} opened no session`);
  return { ...headers, "mcp-session-id": session };
}

async function startBare(): Promise<{ origin: string; child: ChildProcess }> {
  const script = fileURLToPath(new URL("./bare-process.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", script], {
    env: childEnvironment({ NODE_ENV: "production" }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), "line");
  return { origin: `http://127.0.0.1:${port}`, child };
}

type McpServers = { subjects: Subject[]; stop(): Promise<void> };

/** Starts our built server and the bare one. Returns an endpoint for each way of calling a tool. */
export async function startMcpServers(): Promise<McpServers> {
  const database = await createTestDatabase();
  const ours = await serve("node", { DATABASE_URL: database.url, LOG_LEVEL: "warn" });
  const bare = await startBare();
  const context = { database: database.client, clock: systemClock, ids: systemIds };
  const { key } = await createKey(context, { tier: "enterprise", label: "bench" });
  const own = { ...accepted, authorization: `Bearer ${key}` };
  const stop = async () => {
    bare.child.kill();
    await ours.stop();
    await database.drop();
  };
  const subject = (who: string, way: Way, url: string, pid: number, headers: Record<string, string>) => {
    return { who, way, url, pid, headers };
  };
  const barePid = bare.child.pid as number;
  const [mcp, v2] = [`${ours.origin}/api/mcp`, `${ours.origin}/api/mcp/v2`];
  const subjects = [
    subject("bare SDK", "2026-07-28", `${bare.origin}/`, barePid, accepted),
    subject("/api/mcp", "2026-07-28", mcp, ours.pid, own),
    subject("/api/mcp/v2", "2026-07-28", v2, ours.pid, own),
    subject("bare SDK", "2025-11-25", `${bare.origin}/`, barePid, accepted),
    subject("/api/mcp", "2025-11-25", mcp, ours.pid, own),
    subject(
      "bare SDK",
      "2025-11-25, session",
      `${bare.origin}/sessions`,
      barePid,
      await withSession(`${bare.origin}/sessions`, accepted),
    ),
    subject("/api/mcp/v2", "2025-11-25, session", v2, ours.pid, await withSession(v2, own)),
  ];
  return { subjects, stop };
}
