import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { applyEdits } from "./apply-edits";
import { type LabelledChange, type LabelledEntry, LabelledSetError, labelledFileSchema } from "./labelled-set";

function toChange(file: string, base: string, entry: LabelledEntry): LabelledChange {
  const { significance, categories } = entry;
  const name = `${file}: ${entry.name}`;
  if (entry.from === null) return { name, before: null, after: base, significance, categories };
  const after = entry.edits ? applyEdits(base, entry.edits) : (entry.rewrite ?? base);
  if (after === base) throw new LabelledSetError(`${entry.name}: nothing changes`);
  return { name, before: base, after, significance, categories };
}

function readOne(folder: string, file: string): LabelledChange[] {
  const { base, changes } = labelledFileSchema.parse(parse(readFileSync(join(folder, file), "utf8")));
  const text = readFileSync(join(folder, "bases", base), "utf8");
  return changes.map((entry) => {
    try {
      return toChange(file.replace(/\.yaml$/, ""), text, entry);
    } catch (error) {
      throw new LabelledSetError(`${entry.name}: ${(error as Error).message}`);
    }
  });
}

function reasonOf(error: unknown): string {
  return error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
}

/**
 * Reads a labelled set: a folder of YAML files, each with changes of one text of its sub-folder `bases`. Throws
 * LabelledSetError.
 */
export function readLabelledSet(folder: string): LabelledChange[] {
  let files: string[];
  try {
    files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  } catch (error) {
    throw new LabelledSetError(`${folder}: ${reasonOf(error)}`);
  }
  if (files.length === 0) throw new LabelledSetError(`${folder} has no YAML files`);
  return files.sort().flatMap((file) => {
    try {
      return readOne(folder, file);
    } catch (error) {
      throw new LabelledSetError(`${join(folder, file)}: ${reasonOf(error)}`);
    }
  });
}
