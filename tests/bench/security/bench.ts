import { join } from "node:path";
import { parseArgs } from "node:util";
import { scoreSecurity } from "#lib/tracking/security/score-security";
import { writeResults } from "../bench-command";
import { formatNumber, table } from "../replay/report-format";
import { type Measured, measure, type SetTally, type Tally } from "./measure";
import { measureAttacks, measureDocs } from "./measure-more";
import { type RealFile, readLabelledSets, readRealFiles } from "./read-sets";

const helpText = `Usage: npm run bench -- security [--data <folder>] [--docs <folder> --domain <domain>] [--show]

Scores the project's own attacks and harmless lines, by family and half. With --data also real files, of which none should
be blocked, and labelled sets of prompt injections and benign texts. With --docs any folder of documentation.

Options:
  --data <folder>  contains llms/ (real files, named <domain>[@<date>].txt) and injection/ (sets, and index.json)
  --docs <folder>  .md, .mdx and .txt files in all folders below it
  --domain <name>  whose documentation it is (default: example.com)
  --show           print each finding in a benign text or real file
  --help           this text

With --data, writes .tapedeck/bench/security.json.`;

const share = (part: number, { count }: Tally) =>
  `${part} of ${count} (${formatNumber((100 * part) / Math.max(1, count))} %)`;

function setRows(sets: readonly SetTally[]): string[][] {
  const rows = sets.map((tally) => [
    `${tally.set}${tally.group ? ` / ${tally.group}` : ""}`,
    tally.isInjection ? "injection" : "benign",
    share(tally.flagged, tally),
    share(tally.blocked, tally),
  ]);
  const totals = [true, false].map((isInjection) => {
    const total = { count: 0, flagged: 0, blocked: 0 };
    for (const tally of sets.filter((set) => set.isInjection === isInjection)) {
      total.count += tally.count;
      total.flagged += tally.flagged;
      total.blocked += tally.blocked;
    }
    return ["all", isInjection ? "injection" : "benign", share(total.flagged, total), share(total.blocked, total)];
  });
  return [...rows, ...totals];
}

function print({ sets, detectors, real, falsePositives }: Measured, isShowing: boolean): void {
  console.log(`${table(["Set", "Label", "Score above 0", "Blocked (3 or more)"], setRows(sets))}\n`);
  const cells = detectors.map(({ family, detector, points, injections, benign, real: files }) =>
    [family, detector, points, injections, benign, files].map(String),
  );
  console.log(`${table(["Family", "Detector", "Points", "Injections", "Benign texts", "Real files"], cells)}\n`);
  console.log(
    `Real files: ${real.count}; above 0: ${real.flagged}; blocked: ${real.blocked}; by score ${real.byScore.join(", ")}`,
  );
  if (!isShowing) return;
  for (const { where, score, findings } of falsePositives) {
    for (const { detector, points, line, excerpt } of findings.filter((finding) => finding.points > 0)) {
      console.log(`${where}:${line} score ${score}: ${detector} (${points}) ${excerpt}`);
    }
  }
}

/** Returns the milliseconds for ten mebibytes of concatenated real files. */
function timeLargeText(files: readonly RealFile[]): number {
  const all = files.map(({ text }) => text).join("\n");
  const text = all.repeat(Math.ceil((10 * 1024 * 1024) / Math.max(1, all.length))).slice(0, 10 * 1024 * 1024);
  const startMs = performance.now();
  scoreSecurity(text, { domain: "example.com" });
  return performance.now() - startMs;
}

async function runBench(folder: string, isShowing: boolean): Promise<void> {
  const [labelled, files] = await Promise.all([
    readLabelledSets(join(folder, "injection")),
    readRealFiles(join(folder, "llms")),
  ]);
  const measured = measure(labelled, files);
  print(measured, isShowing);
  const largeTextMs = files.length > 0 ? timeLargeText(files) : null;
  if (largeTextMs !== null) console.log(`Ten mebibytes of real text: ${formatNumber(largeTextMs)} ms`);
  // The texts belong to their owners, so only the numbers are stored.
  const { falsePositives, ...numbers } = measured;
  await writeResults("security", { largeTextMs, falsePositiveCount: falsePositives.length, ...numbers });
}

/** `npm run bench -- security`: returns the exit code. */
export async function main(commandLine: string[]): Promise<number> {
  const options = {
    data: { type: "string" },
    docs: { type: "string" },
    domain: { type: "string", default: "example.com" },
    show: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  } as const;
  const { values } = parseArgs({ args: commandLine, options });
  if (values.help) {
    console.log(helpText);
    return 0;
  }
  const attackRows = measureAttacks().map(({ family, half, ...tally }) => [
    family,
    half,
    share(tally.flagged, tally),
    share(tally.blocked, tally),
  ]);
  console.log(`${table(["Family", "Half", "Score above 0", "Blocked"], attackRows)}\n`);
  if (values.docs !== undefined) {
    const { blocked, ...tally } = await measureDocs(values.docs, values.domain);
    console.log(`Documentation: ${share(blocked.length, { ...tally, blocked: 0 })} blocked, ${tally.flagged} above 0`);
    for (const line of values.show ? blocked : []) console.log(line);
  }
  if (values.data !== undefined) await runBench(values.data, values.show);
  return 0;
}
