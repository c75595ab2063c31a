import lighthouse, { desktopConfig, type RunnerResult } from "lighthouse";
import { openBrowserForDebugging } from "../../support/chromium";
import { createTestDatabase } from "../../support/database";
import { runCli } from "../../support/run-cli";
import { serve } from "../../support/serve";
import { runWithNumbers, writeResults } from "../bench-command";
import { table } from "../replay/report-format";

const helpText = `Usage: npm run bench -- site [--rounds <n>]

Runs Lighthouse on the built site with the samples: home, a docs page, pricing, the gallery, a player, the vendors, a vendor's
page and its newest diff, as a phone with a slow connection and as a desktop. Prints the median score of each category, and of Lighthouse's benchmark index,
which is the speed of this machine.

Options:
  --rounds <n>  runs of each page, 1 to 9 (default: 3)
  --help        this text

Writes .tapedeck/bench/site.json.`;

const paths = [
  ...["/", "/docs/replay", "/pricing", "/replay", "/replay/legal/nda-review"],
  ...["/vendors", "/vendors/quarrydb"],
];
const categories = ["performance", "accessibility", "best-practices", "seo"] as const;

type Device = "phone" | "desktop";
type Scores = Record<(typeof categories)[number], number>;
type Result = {
  path: string;
  device: Device;
  scores: Scores;
  /** Lighthouse's measure of the machine's speed. It simulates a phone as a quarter as fast, on any machine. */
  benchmarkIndex: number;
  failedAudits: string[];
};

function scoresOf({ lhr }: RunnerResult): Scores {
  const entries = categories.map((name) => [name, Math.round((lhr.categories[name]?.score ?? 0) * 100)]);
  return Object.fromEntries(entries) as Scores;
}

function failedOf({ lhr }: RunnerResult): string[] {
  return Object.values(lhr.audits)
    .filter(({ score, scoreDisplayMode }) => score !== null && score < 0.9 && scoreDisplayMode !== "informative")
    .map(({ id, displayValue = "" }) => `${id} ${displayValue}`.trim());
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

async function measure(url: string, port: number, device: Device, roundCount: number): Promise<Result> {
  const runs: RunnerResult[] = [];
  for (let round = 0; round < roundCount; round++) {
    const config = device === "desktop" ? desktopConfig : undefined;
    const run = await lighthouse(url, { port, onlyCategories: [...categories], logLevel: "error" }, config);
    if (run) runs.push(run);
  }
  const scores = Object.fromEntries(categories.map((name) => [name, median(runs.map((run) => scoresOf(run)[name]))]));
  const failedAudits = [...new Set(runs.flatMap(failedOf))];
  const benchmarkIndex = Math.round(median(runs.map(({ lhr }) => lhr.environment.benchmarkIndex)));
  return { path: new URL(url).pathname, device, scores: scores as Scores, benchmarkIndex, failedAudits };
}

async function runBench(roundCount: number): Promise<void> {
  const database = await createTestDatabase();
  await runCli(["seed", "--samples"], { environment: { DATABASE_URL: database.url } });
  const app = await serve("node", { DATABASE_URL: database.url, LOG_LEVEL: "warn" });
  const { browser, port } = await openBrowserForDebugging();
  try {
    const results: Result[] = [];
    const { diffs } = await (await fetch(`${app.origin}/api/v1/vendors/quarrydb`)).json();
    for (const path of [...paths, `/vendors/quarrydb/diffs/${diffs[0].id}`]) {
      for (const device of ["phone", "desktop"] as const) {
        results.push(await measure(`${app.origin}${path}`, port, device, roundCount));
      }
    }
    const cells = results.map(({ path, device, scores, benchmarkIndex }) => [
      path,
      device,
      ...categories.map((name) => `${scores[name]}`),
      `${benchmarkIndex}`,
    ]);
    console.log(`\n${table(["Page", "Device", ...categories, "benchmark index"], cells)}`);
    for (const { path, device, failedAudits } of results) {
      if (failedAudits.length > 0) console.log(`${path} (${device}): ${failedAudits.join("; ")}`);
    }
    await writeResults("site", { roundCount, results });
  } finally {
    await browser.close();
    await app.stop();
    await database.drop();
  }
}

/** `npm run bench -- site`: returns the exit code. */
export function main(commandLine: string[]): Promise<number> {
  const numbers = { rounds: { default: 3, min: 1, max: 9 } };
  return runWithNumbers({ commandLine, helpText, numbers }, async ({ rounds }) => {
    await runBench(rounds);
    return 0;
  });
}
