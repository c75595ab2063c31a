import { parseArgs } from "node:util";
import { writeResults } from "../bench-command";
import { quantileOfSorted } from "../replay/percentiles";
import { formatNumber, table } from "../replay/report-format";
import { openSubjects, pageSize, type Subject, type Subjects } from "./subjects";

const helpText = `Usage: npm run bench -- feed [--snapshots <n,n>] [--vendors <n>] [--rounds <n>]

Measures a page of the feed (${pageSize} entries, starter tier, at random positions) and a vendor's details, on databases with a
short and a long history, compared with the same reads in plain SQL over one connection. All take turns in one run.

Options:
  --snapshots <n,n>  snapshots of the two databases (default: 10000,1000000)
  --vendors <n>      vendors, 100 to 10,000 (default: 1000)
  --rounds <n>       measured rounds, 100 to 10,000 (default: 500)
  --help             this text

Writes .tapedeck/bench/feed.json.`;

const warmUpRounds = 50;

type Options = { snapshotCounts: [number, number]; vendorCount: number; roundCount: number };
type Result = { snapshotCount: number; what: Subject["what"]; who: Subject["who"]; p50Ms: number; p99Ms: number };

function readOptions(commandLine: string[]): Options | "help" | "wrong" {
  const { values } = parseArgs({
    args: commandLine,
    options: {
      snapshots: { type: "string", default: "10000,1000000" },
      vendors: { type: "string", default: "1000" },
      rounds: { type: "string", default: "500" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  const [few = Number.NaN, many = Number.NaN] = values.snapshots.split(",").map(Number);
  const [vendorCount, roundCount] = [Number(values.vendors), Number(values.rounds)];
  const isWhole = [few, many, vendorCount, roundCount].every(Number.isInteger);
  const isBounded = [vendorCount, roundCount].every((count) => count >= 100 && count <= 10_000);
  const isLongEnough = few >= 10 * vendorCount && many >= few && many <= 10_000_000;
  return isWhole && isBounded && isLongEnough ? { snapshotCounts: [few, many], vendorCount, roundCount } : "wrong";
}

type Timed = { snapshotCount: number; subject: Subject; times: number[]; rowCounts: Set<number> };

async function takeTurns(timed: readonly Timed[], roundCount: number): Promise<void> {
  for (let turn = 0; turn < warmUpRounds + roundCount; turn++) {
    for (const { subject, times, rowCounts } of timed) {
      const startMs = performance.now();
      const rowCount = await subject.run(turn);
      if (turn < warmUpRounds) continue;
      times.push(performance.now() - startMs);
      rowCounts.add(rowCount);
    }
  }
}

/** Checks that two compared subjects returned the same number of rows in every round. */
function checkRows(timed: readonly Timed[]): void {
  for (const { snapshotCount, subject, rowCounts } of timed) {
    const others = timed.filter(
      (other) => other.snapshotCount === snapshotCount && other.subject.what === subject.what,
    );
    const counts = new Set(others.flatMap((other) => [...other.rowCounts]));
    if (counts.size !== 1) throw new Error(`${subject.what} by ${subject.who} brought ${[...rowCounts]} rows`);
  }
}

function summarize({ snapshotCount, subject, times }: Timed): Result {
  const sorted = times.toSorted((a, b) => a - b);
  const { what, who } = subject;
  return { snapshotCount, what, who, p50Ms: quantileOfSorted(sorted, 0.5), p99Ms: quantileOfSorted(sorted, 0.99) };
}

/** Returns a result divided by the one that it is compared with. */
function ratios(results: readonly Result[], { what, who, snapshotCount, p50Ms, p99Ms }: Result): string[] {
  const bare = results.find(
    (other) => other.what === what && other.snapshotCount === snapshotCount && other.who === "bare pg",
  );
  const short = results.find((other) => other.what === what && other.who === who);
  const ratio = (value: number, other: number | undefined) => `${(value / (other ?? Number.NaN)).toFixed(2)} ×`;
  return [
    ...(who === "tapedeck" ? [ratio(p50Ms, bare?.p50Ms), ratio(p99Ms, bare?.p99Ms)] : ["–", "–"]),
    short?.snapshotCount === snapshotCount ? "–" : ratio(p99Ms, short?.p99Ms),
  ];
}

function print(results: readonly Result[]): void {
  const head = ["What", "Snapshots", "By", "p50 ms", "p99 ms", "p50 ÷ bare", "p99 ÷ bare", "p99 ÷ short history"];
  const cells = results.map((result) => [
    ...[result.what, result.snapshotCount.toLocaleString("en"), result.who],
    ...[formatNumber(result.p50Ms), formatNumber(result.p99Ms), ...ratios(results, result)],
  ]);
  console.log(`\n${table(head, cells)}`);
}

async function runBench({ snapshotCounts, vendorCount, roundCount }: Options): Promise<void> {
  const opened: Subjects[] = [];
  try {
    const timed: Timed[] = [];
    for (const snapshotCount of snapshotCounts) {
      const { subjects, seedMs, drop } = await openSubjects({ vendorCount, snapshotCount });
      opened.push({ subjects, seedMs, drop });
      console.log(`${snapshotCount.toLocaleString("en")} snapshots: created in ${formatNumber(seedMs / 1_000)} s`);
      timed.push(...subjects.map((subject) => ({ snapshotCount, subject, times: [], rowCounts: new Set<number>() })));
    }
    await takeTurns(timed, roundCount);
    checkRows(timed);
    const results = timed.map(summarize);
    print(results);
    await writeResults("feed", { vendorCount, roundCount, pageSize, results });
  } finally {
    for (const { drop } of opened) await drop();
  }
}

/** `npm run bench -- feed`: returns the exit code. */
export async function main(commandLine: string[]): Promise<number> {
  const options = readOptions(commandLine);
  if (typeof options === "string") {
    (options === "wrong" ? console.error : console.log)(helpText);
    return options === "wrong" ? 2 : 0;
  }
  await runBench(options);
  return 0;
}
