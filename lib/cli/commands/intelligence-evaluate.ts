import type { Command } from "commander";
import { type Evaluation, evaluate, type Verdict } from "#lib/tracking/intelligence/evaluate/evaluate";
import {
  type LabelledChange,
  LabelledSetError,
  readLabelledSet,
} from "#lib/tracking/intelligence/evaluate/labelled-set";
import { analyseByRules } from "#lib/tracking/intelligence/rules/analyse-by-rules";
import { CommandFailure, misused } from "../failure";
import { type CommandIo, writeJson } from "../io";

type Options = { set: string; json?: boolean; verbose?: boolean };

const defaultSet = "tests/unit/tracking/intelligence/labelled";

const help = `
The set is a folder of YAML files, each with labelled changes of a text in its subfolder bases. The docs describe the
format. The default is the set in the source tree.`;

/** A share of nothing is no number. */
const percent = (share: number, count = 1) => (count === 0 ? "–" : `${(100 * share).toFixed(1)} %`).padStart(8);

function readSet(folder: string): LabelledChange[] {
  try {
    return readLabelledSet(folder);
  } catch (error) {
    if (error instanceof LabelledSetError) throw new CommandFailure(error.message, misused);
    throw error;
  }
}

const isMismatch = ({ significance, categories, analysis }: Verdict) =>
  significance !== analysis.significance || [...categories].sort().join() !== [...analysis.categories].sort().join();

function mismatchLines({ name, significance, categories, analysis }: Verdict): string {
  return `${name}\n  labelled ${significance} ${categories.join(", ")}\n  result   ${analysis.significance} ${analysis.categories.join(", ")}\n  ${analysis.summary}\n`;
}

function evaluationLines({ changes, kappa, sameSignificance, high, micro, categories }: Evaluation): string {
  const rows = Object.entries(categories).map(
    ([name, { f1, precision, recall, labelled, found }]) =>
      `${name.padEnd(20)}${String(labelled).padStart(8)}${percent(precision, found)}${percent(recall, labelled)}${percent(f1, labelled + found)}\n`,
  );
  return [
    `${changes} changes\n`,
    `significance: weighted kappa ${kappa.toFixed(3)}, equal for${percent(sameSignificance)}\n`,
    `significance of 4 or 5: recall${percent(high.recall, high.labelled)}, precision${percent(high.precision, high.found)} of ${high.labelled}\n\n`,
    `${"category".padEnd(20)}${"labelled".padStart(8)}${"prec.".padStart(8)}${"recall".padStart(8)}${"F1".padStart(8)}\n`,
    ...rows,
    `${"all".padEnd(20)}${String(micro.labelled).padStart(8)}${percent(micro.precision)}${percent(micro.recall)}${percent(micro.f1)}\n`,
  ].join("");
}

export function addEvaluateCommand(intelligence: Command, io: CommandIo): void {
  intelligence
    .command("evaluate")
    .description("measure the rules on labelled changes")
    .option("--set <folder>", "the labelled set", defaultSet)
    .option("--verbose", "print each change whose result differs from its label")
    .option("--json", "print JSON")
    .addHelpText("after", help)
    .action(({ set, json, verbose }: Options) => {
      const { verdicts, ...evaluation } = evaluate(readSet(set), analyseByRules);
      const mismatches = verdicts.filter(isMismatch);
      if (json) {
        const rows = mismatches.map(({ before: _before, after: _after, ...row }) => row);
        writeJson(io, { ...evaluation, ...(verbose && { missed: rows }) });
        return;
      }
      if (verbose) for (const verdict of mismatches) io.stdout.write(mismatchLines(verdict));
      io.stdout.write(evaluationLines({ ...evaluation, verdicts }));
    });
}
