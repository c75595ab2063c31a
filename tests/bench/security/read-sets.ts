import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/** A labelled text. `set` is its source, `group` the kind of attack if the set has it. */
export type LabelledText = { set: string; group: string; text: string; isInjection: boolean };

/** A real file with the domain that published it. */
export type RealFile = { name: string; domain: string; text: string };

const indexSchema = z.object({ files: z.array(z.object({ file: z.string(), label: z.string() })) });
const rowsSchema = z.array(z.object({ prompt: z.string(), label: z.int().optional(), source: z.string().optional() }));
const groupsSchema = z.record(z.string(), z.array(z.string()));

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(await readFile(path, "utf8"));
}

/** Rows of `{prompt, label?, source?}`, where label 1 is an injection, or lists of texts by kind. */
function toTexts(content: unknown, set: string, label: string): LabelledText[] {
  const isAll = /^ALL INJECTION/i.test(label);
  const groups = groupsSchema.safeParse(content);
  if (groups.success) {
    return Object.entries(groups.data).flatMap(([group, texts]) =>
      texts.map((text) => ({ set, group, text, isInjection: isAll })),
    );
  }
  return rowsSchema
    .parse(content)
    .map(({ prompt, label: own, source = "" }) => ({
      set,
      group: source,
      text: prompt,
      isInjection: own === undefined ? isAll : own === 1,
    }));
}

/** Returns the labelled sets listed in a folder's `index.json`. */
export async function readLabelledSets(folder: string): Promise<LabelledText[]> {
  const { files } = indexSchema.parse(await readJson(join(folder, "index.json")));
  const sets = files.map(async ({ file, label }) =>
    toTexts(await readJson(join(folder, file)), file.replace(/\.json$/, ""), label),
  );
  return (await Promise.all(sets)).flat();
}

/** Returns the `.txt` and `.md` files of a folder, each named after its domain: `docs.example.com@2026-01-31.txt`. */
export async function readRealFiles(folder: string): Promise<RealFile[]> {
  const names = (await readdir(folder)).filter((name) => /\.(?:txt|md)$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => ({
      name,
      domain: name.replace(/\.(?:txt|md)$/, "").replace(/@.*$/, ""),
      text: await readFile(join(folder, name), "utf8"),
    })),
  );
}
