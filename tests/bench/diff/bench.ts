import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runWithNumbers, writeResults } from "../bench-command";
import { median } from "../replay/percentiles";
import { formatNumber, table } from "../replay/report-format";
import { type DiffInput, inputMakers } from "./inputs";
import { type Outcome, type Peer, peers, peerTimeoutMs, whyMissing, writeInputs } from "./peers";

const helpText = `Usage: npm run bench -- diff [--runs <n>]

Measures the comparison of two texts against jsdiff and GNU diff, on typical versions of files and on texts designed to
be slow. A cell is the median of the runs. A peer is stopped after ${peerTimeoutMs / 1_000} seconds and not run again.

Options:
  --runs <n>  runs of each peer on each input, 1 to 20 (default: 5)
  --help      this text

Writes .tapedeck/bench/diff.json.`;

type Result = {
  input: string;
  peer: string;
  /** Null if the peer was stopped. */
  medianMs: number | null;
  maxMs: number | null;
  /** This peer's median divided by ours. */
  ratio: number | null;
  outcome: Outcome;
};

function time(peer: Peer, { before, after }: DiffInput, folder: string): { ms: number; outcome: Outcome } {
  globalThis.gc?.();
  const startMs = performance.now();
  const outcome = peer.compare(before, after, folder);
  return { ms: performance.now() - startMs, outcome };
}

function measureInput(input: DiffInput, available: readonly Peer[], runCount: number, folder: string): Result[] {
  writeInputs(folder, input.before, input.after);
  const runs = new Map(available.map(({ name }) => [name, { times: [] as number[], outcome: null as Outcome }]));
  const stopped = new Set<string>();
  for (let run = 0; run < runCount; run++) {
    for (const peer of available) {
      if (stopped.has(peer.name)) continue;
      const { ms, outcome } = time(peer, input, folder);
      runs.get(peer.name)!.times.push(ms);
      runs.get(peer.name)!.outcome = outcome;
      if (outcome === null) stopped.add(peer.name);
    }
  }
  const oursMs = median(runs.get("tapedeck")!.times);
  return available.map(({ name }) => {
    const { times, outcome } = runs.get(name)!;
    const isStopped = stopped.has(name);
    const medianMs = isStopped ? null : median(times);
    const maxMs = isStopped ? null : Math.max(...times);
    return {
      input: input.name,
      peer: name,
      medianMs,
      maxMs,
      ratio: medianMs === null ? null : medianMs / oursMs,
      outcome,
    };
  });
}

function cells({ input, peer, medianMs, maxMs, ratio, outcome }: Result): string[] {
  const found = outcome
    ? `+${outcome.linesAdded.toLocaleString("en")} −${outcome.linesRemoved.toLocaleString("en")}`
    : "–";
  const exact = outcome?.exact ? "yes" : "no";
  return [
    input,
    peer,
    medianMs === null ? `over ${peerTimeoutMs.toLocaleString("en")}` : formatNumber(medianMs),
    formatNumber(maxMs ?? Number.NaN),
    ratio === null ? "–" : `${formatNumber(ratio)} ×`,
    found,
    outcome === null ? "–" : peer === "GNU diff" ? "unknown" : exact,
  ];
}

async function runBench(runCount: number, folder: string): Promise<void> {
  const available = peers.filter((peer) => whyMissing(peer) === undefined);
  for (const peer of peers) {
    const reason = whyMissing(peer);
    console.log(`${peer.name}: ${reason === undefined ? peer.description : `left out, ${reason}`}`);
  }
  const results: Result[] = [];
  for (const makeInput of inputMakers) {
    const measured = measureInput(makeInput(), available, runCount, folder);
    results.push(...measured);
    console.log(measured.map((result) => cells(result).join(" | ")).join("\n"));
  }
  const head = ["Input", "Program", "Median ms", "Longest ms", "÷ ours", "Lines", "Shortest"];
  console.log(`\n${table(head, results.map(cells))}`);
  await writeResults("diff", { runCount, results });
}

/** `npm run bench -- diff`: returns the exit code. */
export function main(commandLine: string[]): Promise<number> {
  const numbers = { runs: { default: 5, min: 1, max: 20 } };
  return runWithNumbers({ commandLine, helpText, numbers }, async ({ runs }) => {
    const folder = await mkdtemp(join(tmpdir(), "tapedeck-bench-"));
    try {
      await runBench(runs, folder);
      return 0;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}
