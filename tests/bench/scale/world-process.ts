/** Hosts of vendors on this machine, in a process of their own: one server that listens on all addresses of 127.0.0.0/8. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** What the hosts have seen. Times are in milliseconds. */
export type WorldReport = {
  /** Requests for files since the last reset. */
  files: number;
  /** Files that were requested more than once. */
  repeated: number;
  /** Most requests that a host answered at a time, robots.txt included. */
  maxConcurrent: number;
  /** Least time between the starts of two requests for files at one host; null without two. */
  minGapMs: number | null;
};

export type WorldCommand = { kind: "report" | "reset" };

const minDelayMs = 100;
const delayRangeMs = 400;

type Host = { open: number; lastAtMs: number | undefined };

const hosts = new Map<string, Host>();
let counts = new Map<string, number>();
let maxConcurrent = 0;
let minGapMs: number | null = null;

function textOf(name: string): string {
  const lines = Array.from(
    { length: 100 },
    (_, index) => `- [Guide ${index}](https://docs.example.com/${name}/${index}): a step`,
  );
  return `# ${name}\n\n## Guides\n\n${lines.join("\n")}\n`;
}

const server = createServer(async ({ url = "", headers }, response) => {
  const name = headers.host ?? "";
  const host = hosts.get(name) ?? { open: 0, lastAtMs: undefined };
  hosts.set(name, host);
  host.open += 1;
  maxConcurrent = Math.max(maxConcurrent, host.open);
  const isFile = url !== "/robots.txt";
  if (isFile) {
    const nowMs = performance.now();
    if (host.lastAtMs !== undefined) minGapMs = Math.min(minGapMs ?? Number.POSITIVE_INFINITY, nowMs - host.lastAtMs);
    host.lastAtMs = nowMs;
    counts.set(`${name}${url}`, (counts.get(`${name}${url}`) ?? 0) + 1);
  }
  await wait(minDelayMs + Math.random() * delayRangeMs);
  host.open -= 1;
  if (!isFile) response.writeHead(404).end();
  else if (headers["if-none-match"] === '"1"') response.writeHead(304, { etag: '"1"' }).end();
  else response.writeHead(200, { "content-type": "text/markdown", etag: '"1"' }).end(textOf(name));
});
server.keepAliveTimeout = 1_000;

function report(): WorldReport {
  const repeated = [...counts.values()].filter((count) => count > 1).length;
  const files = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return { files, repeated, maxConcurrent, minGapMs };
}

process.on("message", ({ kind }: WorldCommand) => {
  const result = report();
  if (kind === "reset") {
    counts = new Map();
    maxConcurrent = 0;
    minGapMs = null;
    for (const host of hosts.values()) host.lastAtMs = undefined;
  }
  process.send?.(result);
});
server.listen(0, "0.0.0.0", () => process.send?.((server.address() as AddressInfo).port));
