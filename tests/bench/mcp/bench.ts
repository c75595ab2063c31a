import { runWithNumbers, writeResults } from "../bench-command";
import { quantileOfSorted } from "../replay/percentiles";
import { cpuTimeMs, listProcessTree } from "../replay/process-stats";
import { formatNumber, table } from "../replay/report-format";
import { type Subject, startMcpServers } from "./subjects";

const helpText = `Usage: npm run bench -- mcp [--calls <n>] [--rounds <n>]

Measures tools/call (get_pricing) on the built server, with a key whose requests are counted, compared with the plain SDK
on node:http with the same tools, in each revision and with sessions. All take turns in one run.

Options:
  --calls <n>   calls of each in one round, 100 to 100,000 (default: 1000)
  --rounds <n>  rounds, 1 to 20 (default: 5)
  --help        this text

Writes .tapedeck/bench/mcp.json.`;

const concurrency = 8;
const tool = "get_pricing";

type Timed = { subject: Subject; cpuMs: number[]; times: number[] };

/** Returns the request of one call as a client of this revision sends it. */
function toCall({ way, headers }: Subject): { headers: Record<string, string>; body: string } {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: {} } };
  if (way !== "2026-07-28") return { headers, body: JSON.stringify(call) };
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": way,
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return {
    headers: { ...headers, "mcp-protocol-version": way, "mcp-method": "tools/call", "mcp-name": tool },
    body: JSON.stringify({ ...call, params: { ...call.params, _meta } }),
  };
}

async function callOnce({ url, who }: Subject, call: ReturnType<typeof toCall>): Promise<number> {
  const startMs = performance.now();
  const response = await fetch(url, { method: "POST", ...call });
  const text = await response.text();
  if (!text.includes("requests_per_day")) throw new Error(`${who} answered ${response.status}: ${text.slice(0, 300)}`);
  return performance.now() - startMs;
}

async function runRound({ subject, cpuMs, times }: Timed, callCount: number): Promise<void> {
  const call = toCall(subject);
  const pids = listProcessTree(subject.pid);
  const beforeMs = cpuTimeMs(pids);
  let left = callCount;
  const worker = async () => {
    while (left-- > 0) times.push(await callOnce(subject, call));
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  cpuMs.push((cpuTimeMs(pids) - beforeMs) / callCount);
}

type Result = { who: string; way: string; cpuMs: number; p50Ms: number; p99Ms: number };

function summarize({ subject: { who, way }, cpuMs, times }: Timed): Result {
  const sorted = times.toSorted((a, b) => a - b);
  const median = quantileOfSorted(
    cpuMs.toSorted((a, b) => a - b),
    0.5,
  );
  return { who, way, cpuMs: median, p50Ms: quantileOfSorted(sorted, 0.5), p99Ms: quantileOfSorted(sorted, 0.99) };
}

function print(results: readonly Result[]): void {
  const head = ["Revision", "By", "CPU ms a call", "p50 ms", "p99 ms", "CPU ÷ bare"];
  const cells = results.map(({ who, way, cpuMs, p50Ms, p99Ms }) => {
    const bare = results.find((other) => other.way === way && other.who === "bare SDK") as Result;
    const ratio = who === "bare SDK" ? "–" : `${(cpuMs / bare.cpuMs).toFixed(2)} ×`;
    return [way, who, formatNumber(cpuMs), formatNumber(p50Ms), formatNumber(p99Ms), ratio];
  });
  console.log(`\n${table(head, cells)}`);
}

async function runBench(callCount: number, roundCount: number): Promise<void> {
  const servers = await startMcpServers();
  try {
    const timed: Timed[] = servers.subjects.map((subject) => ({ subject, cpuMs: [], times: [] }));
    for (const { subject } of timed) await runRound({ subject, cpuMs: [], times: [] }, Math.min(callCount, 1_000));
    for (let round = 0; round < roundCount; round++) for (const one of timed) await runRound(one, callCount);
    const results = timed.map(summarize);
    print(results);
    await writeResults("mcp", { callCount, roundCount, concurrency, results });
  } finally {
    await servers.stop();
  }
}

/** `npm run bench -- mcp`: returns the exit code. */
export function main(commandLine: string[]): Promise<number> {
  const numbers = { calls: { default: 1_000, min: 100, max: 100_000 }, rounds: { default: 5, min: 1, max: 20 } };
  return runWithNumbers({ commandLine, helpText, numbers }, async ({ calls, rounds }) => {
    await runBench(calls, rounds);
    return 0;
  });
}
