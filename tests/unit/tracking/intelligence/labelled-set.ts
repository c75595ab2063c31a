import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { compareTexts } from "#lib/tracking/diffs/index";
import type { Analysis, Change } from "#lib/tracking/intelligence/analysis";
import {
  type IntelligenceCategory,
  intelligenceCategories,
  intelligenceCategorySchema,
} from "#lib/tracking/report-categories/index";
import { scoreSecurity } from "#lib/tracking/security/index";
import { minHighSignificance } from "#lib/tracking/webhooks/index";

const text = z.string().min(1);
/** Edits of the older text. Each text must occur exactly once, or at least once for `replace_all`. */
const editSchema = z.union([
  z.strictObject({ replace: text, with: z.string() }),
  z.strictObject({ replace_all: text, with: z.string() }),
  z.strictObject({ remove_line: text }),
  /** Sections are named by the whole line of their heading, and end at the next one of the same or a higher level. */
  z.strictObject({ remove_section: text }),
  z.strictObject({ move_section: text, before: text }),
  z.strictObject({ rewrite: text }),
]);

const verdictSchema = text.transform((verdict) => {
  const [significance, ...categories] = verdict.split(" ");
  const label = { significance: Number(significance), categories };
  return z.object({ significance: z.int(), categories: z.array(intelligenceCategorySchema).min(1) }).parse(label);
});
/** A row is a change: its name, its significance and categories, and the edits that make it. */
const rowSchema = z.tuple([text, verdictSchema], z.union([editSchema, z.literal("first version")]));
const labelledFileSchema = z.strictObject({ base: text, changes: z.array(rowSchema) });

type LabelledChange = {
  name: string;
  before: string | null;
  after: string;
  significance: number;
  categories: IntelligenceCategory[];
};

function findOnly(content: string, part: string): number {
  const at = content.indexOf(part);
  if (at < 0 || content.indexOf(part, at + 1) >= 0) throw new Error(`"${part}" is not exactly once in the text`);
  return at;
}

function sectionRange(content: string, heading: string): [number, number] {
  const start = findOnly(`\n${content}\n`, `\n${heading}\n`);
  const level = /^#+/.exec(heading)![0].length;
  const next = new RegExp(`^#{1,${level}} `, "m").exec(content.slice(start + heading.length));
  return [start, next ? start + heading.length + next.index : content.length];
}

const splice = (content: string, [start, end]: readonly [number, number], by = "") =>
  content.slice(0, start) + by + content.slice(end);

function applyEdit(content: string, edit: z.infer<typeof editSchema>): string {
  if ("rewrite" in edit) return edit.rewrite;
  if ("replace" in edit) {
    const at = findOnly(content, edit.replace);
    return splice(content, [at, at + edit.replace.length], edit.with);
  }
  if ("replace_all" in edit) {
    if (!content.includes(edit.replace_all)) throw new Error(`"${edit.replace_all}" is not in the text`);
    return content.replaceAll(edit.replace_all, () => edit.with);
  }
  if ("remove_line" in edit) {
    const at = findOnly(content, edit.remove_line);
    return splice(content, [content.lastIndexOf("\n", at) + 1, content.indexOf("\n", at) + 1]);
  }
  if ("remove_section" in edit) return splice(content, sectionRange(content, edit.remove_section));
  const range = sectionRange(content, edit.move_section);
  const section = content.slice(...range).replace(/\n*$/, "\n\n");
  const rest = splice(content, range);
  const [at] = sectionRange(rest, edit.before);
  return splice(rest, [at, at], section);
}

/** Returns the labelled changes in `labelled`: YAML files, each with changes of one text in `labelled/bases`, and comments on surprising labels. */
export function readLabelledSet(): LabelledChange[] {
  const folder = resolve(import.meta.dirname, "labelled");
  const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  return files.sort().flatMap((file) => {
    const { base, changes } = labelledFileSchema.parse(parse(readFileSync(join(folder, file), "utf8")));
    const before = readFileSync(join(folder, "bases", base), "utf8");
    return changes.map(([name, verdict, ...edits]) => {
      const label = { name: `${file}: ${name}`, ...verdict };
      if (edits[0] === "first version") return { ...label, before: null, after: before };
      const after = edits.reduce((content, edit) => applyEdit(content, editSchema.parse(edit)), before);
      if (after === before) throw new Error(`${label.name}: the text does not change`);
      return { ...label, before, after };
    });
  });
}

/** Returns precision, recall and F1. A ratio with a denominator of 0 is 0. */
export function scoreOf(truePositives: number, found: number, labelled: number) {
  const ratio = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
  return {
    precision: ratio(truePositives, found),
    recall: ratio(truePositives, labelled),
    f1: ratio(2 * truePositives, found + labelled),
  };
}

/**
 * Returns the agreement of two raters on an integer scale beyond chance, with disagreements weighted by their square
 * (Cohen, "Weighted kappa", 1968): 1 for identical ratings, 0 for chance; 1 if all ratings are the same.
 */
export function quadraticWeightedKappa(pairs: readonly (readonly [number, number])[]): number {
  const weight = (a: number, b: number) => (a - b) ** 2;
  let [observed, expected] = [0, 0];
  for (const [a, b] of pairs) {
    observed += weight(a, b);
    for (const [, other] of pairs) expected += weight(a, other) / pairs.length;
  }
  return expected === 0 ? 1 : 1 - observed / expected;
}

function changeOf({ before, after }: LabelledChange): Change {
  const [name, domain] = ["Labelled", "labelled.example"];
  const scoreOf = (content: string) => scoreSecurity(content, { domain }).score;
  const comparison = before === null ? null : compareTexts(before, after);
  const scores = { securityScore: scoreOf(after), previousSecurityScore: before === null ? 0 : scoreOf(before) };
  return { before, after, name, domain, comparison, ...scores };
}

/** Returns how well an analyser agrees with the labels. */
export function evaluate(changes: readonly LabelledChange[], analyse: (change: Change) => Analysis) {
  const verdicts = changes.map((change) => ({ ...change, analysis: analyse(changeOf(change)) }));
  const countsWhere = (holds: (label: Pick<LabelledChange, "significance" | "categories">) => boolean) => {
    const labelled = verdicts.filter(holds);
    const found = verdicts.filter(({ analysis }) => holds(analysis)).length;
    return [labelled.filter(({ analysis }) => holds(analysis)).length, found, labelled.length] as const;
  };
  const counts = intelligenceCategories.map((category) =>
    countsWhere(({ categories }) => categories.includes(category)),
  );
  const sum = (index: 0 | 1 | 2) => counts.reduce((total, count) => total + count[index], 0);
  return {
    kappa: quadraticWeightedKappa(verdicts.map(({ significance, analysis }) => [significance, analysis.significance])),
    high: scoreOf(...countsWhere(({ significance }) => significance >= minHighSignificance)),
    categories: intelligenceCategories.map((category, index) => ({ category, ...scoreOf(...counts[index]!) })),
    micro: scoreOf(sum(0), sum(1), sum(2)),
  };
}
