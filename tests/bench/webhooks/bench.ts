import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createTestDatabase } from "#tests/support/database";
import { runWithNumbers, writeResults } from "../bench-command";
import { median } from "../replay/percentiles";
import { formatNumber, table } from "../replay/report-format";
import { measureLatencies, waitingCount } from "./latency";
import type { ReceivedCounts } from "./receivers-process";
import { attemptsAtOnce, keptConnections, newConnections, type Sender, tapedeckSender } from "./senders";

const helpText = `Usage: npm run bench -- webhooks [--events <n>] [--rounds <n>]

Sends events to 40 receivers on this machine: with Tapedeck's outbox, leases and attempt rows, and with plain loops of
signed POST requests that store nothing. They take turns, with ${attemptsAtOnce} concurrent requests each.

Then measures the time from an event to its first attempt, while up to ${formatNumber(waitingCount)} deliveries wait and half of the
receivers never respond.

Options:
  --events <n>  events in each round, of 40 deliveries each, 5 to 1,000 (default: 100)
  --rounds <n>  rounds, 1 to 20 (default: 5)
  --help        this text

Writes .tapedeck/bench/webhooks.json.`;

const root = fileURLToPath(new URL("../../../", import.meta.url));
const receiverCount = 40;

type Measured = { name: string; wallSeconds: number; cpuSeconds: number; connectionCount: number };

async function startReceivers(): Promise<{ child: ChildProcess; urls: string[] }> {
  const file = fileURLToPath(new URL("./receivers-process.ts", import.meta.url));
  const child = fork(file, [String(receiverCount)], { execArgv: ["--import", "tsx"], cwd: root });
  const [ports] = (await once(child, "message")) as [number[]];
  return { child, urls: ports.map((port) => `http://127.0.0.1:${port}/hooks`) };
}

async function countsOf(child: ChildProcess): Promise<ReceivedCounts> {
  const answered = once(child, "message");
  child.send({});
  return ((await answered) as [ReceivedCounts])[0];
}

async function measure(sender: Sender, child: ChildProcess, eventCount: number): Promise<Measured> {
  await sender.prepare(eventCount);
  await countsOf(child);
  const [startMs, cpu] = [performance.now(), process.cpuUsage()];
  await sender.send(eventCount);
  const wallSeconds = (performance.now() - startMs) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const { requestCount, connectionCount } = await countsOf(child);
  const expected = eventCount * receiverCount;
  if (requestCount !== expected) throw new Error(`${sender.name} sent ${requestCount} requests, not ${expected}`);
  return { name: sender.name, wallSeconds, cpuSeconds: (user + system) / 1_000_000, connectionCount };
}

function rowsOf(measured: readonly Measured[], deliveryCount: number): string[][] {
  const names = [...new Set(measured.map(({ name }) => name))];
  const perSecond = (name: string) =>
    deliveryCount / median(measured.filter((one) => one.name === name).map(({ wallSeconds }) => wallSeconds));
  return names.map((name) => {
    const cpuSeconds = median(measured.filter((one) => one.name === name).map((one) => one.cpuSeconds));
    const share = perSecond(names[0] as string) / perSecond(name);
    return [
      ...[name, formatNumber(perSecond(name)), formatNumber((cpuSeconds / deliveryCount) * 1_000)],
      name === names[0] ? "–" : `${share.toFixed(2)} ×`,
    ];
  });
}

async function runBench(eventCount: number, roundCount: number): Promise<void> {
  const { child, urls } = await startReceivers();
  const database = await createTestDatabase();
  try {
    const senders = [await tapedeckSender(database.client, urls), newConnections(urls), keptConnections(urls)];
    for (const sender of senders) await measure(sender, child, 5);
    const measured: Measured[] = [];
    for (let round = 0; round < roundCount; round += 1) {
      for (const sender of senders) measured.push(await measure(sender, child, eventCount));
    }
    const deliveryCount = eventCount * receiverCount;
    const head = ["Sender", "Deliveries a second", "CPU ms a delivery", "Tapedeck ÷ it"];
    console.log(`\n${table(head, rowsOf(measured, deliveryCount))}`);
    const latencies = await measureLatencies();
    const rows = latencies.map(({ name, p50Ms, p99Ms }) => [name, formatNumber(p50Ms), formatNumber(p99Ms)]);
    console.log(`\n${table(["Event to first attempt", "p50 ms", "p99 ms"], rows)}`);
    await writeResults("webhooks", { deliveryCount, roundCount, attemptsAtOnce, measured, latencies });
  } finally {
    child.disconnect();
    await database.drop();
  }
}

/** `npm run bench -- webhooks`: returns the exit code. */
export function main(commandLine: string[]): Promise<number> {
  const numbers = { events: { default: 100, min: 5, max: 1_000 }, rounds: { default: 5, min: 1, max: 20 } };
  return runWithNumbers({ commandLine, helpText, numbers }, async ({ events, rounds }) => {
    await runBench(events, rounds);
    return 0;
  });
}
