import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { blockedScore } from "#lib/contract/blocked-content";
import { scoreSecurity } from "#lib/tracking/security/score-security";
import {
  domain as attackedDomain,
  families,
  filesOf,
  filesOfThird,
  secondFamilies,
} from "#tests/unit/tracking/security/attack-sets";
import { defineBench, format, type Table, timeOf } from "./harness";

/** Largest file that is read, in bytes. */
const maxByteSize = 10 * 1024 * 1024;

/** Number of texts of a kind, of those with a scored finding, and of blocked ones. */
class Tally {
  count = 0;
  flagged = 0;
  blocked = 0;

  /** Scores a text. Returns its findings, one line each, if it has a score. */
  add(text: string, domain: string, where = ""): string[] {
    const { score, findings } = scoreSecurity(text, { domain });
    this.count++;
    if (score > 0) this.flagged++;
    if (score >= blockedScore) this.blocked++;
    const scored = findings.filter(({ points }) => points > 0);
    return scored.map(
      ({ detector, points, line, excerpt }) => `${where}:${line} score ${score}: ${detector} (${points}) ${excerpt}`,
    );
  }

  /** Returns the cells of a row. */
  cells(...names: string[]): string[] {
    const share = (part: number) => `${part} of ${this.count} (${format((100 * part) / Math.max(1, this.count))} %)`;
    return [...names, share(this.flagged), share(this.blocked)];
  }
}

/** A labelled text. `set` is its source, `group` the kind of attack if the set has it. */
type LabelledText = { set: string; group: string; text: string; isInjection: boolean };

const indexSchema = z.object({ files: z.array(z.object({ file: z.string(), label: z.string() })) });
const rowsSchema = z.array(z.object({ prompt: z.string(), label: z.int().optional(), source: z.string().optional() }));
const groupsSchema = z.record(z.string(), z.array(z.string()));

/** Reads rows of `{prompt, label?, source?}`, where label 1 is an injection, or lists of texts by kind. */
function toTexts(content: unknown, set: string, label: string): LabelledText[] {
  const isAll = /^ALL INJECTION/i.test(label);
  const groups = groupsSchema.safeParse(content);
  if (groups.success) {
    const entries = Object.entries(groups.data);
    return entries.flatMap(([group, texts]) => texts.map((text) => ({ set, group, text, isInjection: isAll })));
  }
  return rowsSchema.parse(content).map(({ prompt: text, label: own, source: group = "" }) => {
    return { set, group, text, isInjection: own === undefined ? isAll : own === 1 };
  });
}

/** Returns the labelled sets listed in a folder's `index.json`. */
async function readLabelledSets(folder: string): Promise<LabelledText[]> {
  const readJson = async (file: string) => JSON.parse(await readFile(join(folder, file), "utf8"));
  const { files } = indexSchema.parse(await readJson("index.json"));
  const sets = files.map(async ({ file, label }) => toTexts(await readJson(file), file.replace(/\.json$/, ""), label));
  return (await Promise.all(sets)).flat();
}

/** Reads the text files below a folder, one after another. */
async function* readTexts(folder: string) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => each.isFile() && /\.(?:mdx?|txt)$/.test(each.name))) {
    const path = join(entry.parentPath, entry.name);
    yield { name: entry.name, path, text: (await readFile(path)).subarray(0, maxByteSize).toString() };
  }
}

const head = ["Score above 0", "Blocked"];

function scoreAttacks(): Table {
  const sets = [
    ...families.flatMap((family) => (["tuned", "unseen"] as const).map((half) => ({ family, half }))),
    ...secondFamilies.map((family) => ({ family, half: "second" as const })),
  ];
  const rows = sets.map(({ family, half }) => {
    const tally = new Tally();
    for (const { file } of filesOf(family, half)) tally.add(file, attackedDomain);
    return tally.cells(family, half);
  });
  for (const half of ["tuned", "unseen"] as const) {
    const tally = new Tally();
    for (const { file } of filesOfThird(half)) tally.add(file, attackedDomain);
    rows.push(tally.cells("third", half));
  }
  return { head: ["Own attacks", "Half", ...head], rows };
}

export const bench = defineBench({
  about: `Scores the project's own attacks and harmless lines, by family and half. With --data also real files, of which none should be blocked,
and labelled sets of prompt injections and benign texts. With --docs any folder of documentation.`,
  options: {
    data: { default: "", about: "folder with llms/ (<domain>[@<date>].txt) and injection/ (sets, and index.json)" },
    docs: { default: "", about: "folder with .md, .mdx and .txt files, in all folders below it" },
    domain: { default: "example.com", about: "whose documentation it is" },
    show: { default: false, about: "print each finding in a benign text, real file or documentation" },
  },
  async run({ data, docs, domain, show }, { say }) {
    const tables = [scoreAttacks()];
    const findings: string[] = [];
    const rows: string[][] = [];
    if (docs !== "") {
      const tally = new Tally();
      for await (const { path, text } of readTexts(docs)) findings.push(...tally.add(text, domain, path));
      rows.push(tally.cells("documentation", ""));
    }
    if (data !== "") {
      const real = new Tally();
      let all = "";
      for await (const { name, text } of readTexts(join(data, "llms"))) {
        all += `${text}\n`;
        findings.push(...real.add(text, name.replace(/\.(?:txt|mdx?)$/, "").replace(/@.*$/, ""), name));
      }
      rows.push(real.cells("real files", ""));
      const tallies = new Map<string, Tally>();
      for (const { set, group, text, isInjection } of await readLabelledSets(join(data, "injection"))) {
        for (const name of [`${set}${group && ` / ${group}`}`, "all sets"]) {
          const key = `${name}\n${isInjection ? "injection" : "benign"}`;
          const tally = tallies.get(key) ?? new Tally();
          tallies.set(key, tally);
          const found = tally.add(text, "example.com", name);
          if (!isInjection && name !== "all sets") findings.push(...found);
        }
      }
      for (const [key, tally] of tallies) rows.push(tally.cells(...key.split("\n")));
      const large = all.repeat(Math.ceil(maxByteSize / Math.max(1, all.length))).slice(0, maxByteSize);
      const largeMs = await timeOf(() => scoreSecurity(large, { domain: "example.com" }));
      say(`ten mebibytes of real text: ${format(largeMs)} ms`);
    }
    if (rows.length > 0) tables.push({ head: ["Texts", "Label", ...head], rows });
    for (const finding of show ? findings : []) say(finding);
    // The texts belong to their owners, so only the numbers are stored.
    return { tables, results: { tables } };
  },
});
