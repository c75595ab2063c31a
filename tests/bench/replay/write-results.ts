import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { BenchResults } from "./bench";
import { renderChart } from "./chart";
import { renderReport } from "./report";
import { summarizeMeasurements } from "./summarize-measurements";

const root = fileURLToPath(new URL("../../../", import.meta.url));

async function write(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return relative(root, path);
}

/** Returns the end of the published page, which another benchmark measured; empty if the page has none. */
async function readMatchingSection(path: string): Promise<string> {
  const page = await readFile(path, "utf8").catch(() => "");
  const start = page.indexOf("\n## Matching\n");
  return start < 0 ? "" : page.slice(start);
}

/**
 * Writes the raw numbers, and the report with its chart: to the documentation with `publish`, otherwise next to the raw
 * numbers. Returns the paths of the files, relative to the repository.
 */
export async function writeResults(results: BenchResults, publish: boolean): Promise<string[]> {
  const folder = join(root, ".tapedeck", "bench");
  const rows = summarizeMeasurements(results.measurements);
  const reportPath = publish ? join(root, "content", "docs", "benchmarks.md") : join(folder, "replay.md");
  const chartPath = publish ? join(root, "public", "bench", "replay.svg") : join(folder, "replay.svg");
  const matching = publish ? await readMatchingSection(reportPath) : "";
  return Promise.all([
    write(join(folder, "replay.json"), `${JSON.stringify({ ...results, summary: rows }, null, 2)}\n`),
    write(reportPath, renderReport(results, publish ? "/bench/replay.svg" : "replay.svg") + matching),
    write(chartPath, renderChart(rows)),
  ]);
}
