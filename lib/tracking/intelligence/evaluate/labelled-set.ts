import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { type IntelligenceCategory, intelligenceCategorySchema } from "../analysis";

/** Edits of the older text. Each must find its text, exactly once unless stated otherwise. */
const editSchema = z.union(
  [
    z.strictObject({ replace: z.string().min(1), with: z.string() }),
    /** Replaces all occurrences; there must be at least one. */
    z.strictObject({ replace_all: z.string().min(1), with: z.string() }),
    /** Removes the only line that contains the text. */
    z.strictObject({ remove_line: z.string().min(1) }),
    /** Removes a heading with everything up to the next heading of the same or a higher level. */
    z.strictObject({ remove_section: z.string().min(1) }),
    z.strictObject({ move_section: z.string().min(1), before: z.string().min(1) }),
  ],
  {
    error:
      'must be "replace" or "replace_all" with "with", "remove_line", "remove_section", or "move_section" with "before", each with a text. In YAML, a text that begins with # needs quotation marks',
  },
);
type Edit = z.infer<typeof editSchema>;

/** A change of the base text with its labels. */
const labelledEntrySchema = z
  .strictObject({
    name: z.string().min(1),
    edits: z.array(editSchema).min(1).optional(),
    /** The complete newer text. */
    rewrite: z.string().optional(),
    /** Null: the base is a first version. */
    from: z.null().optional(),
    significance: z.int().min(1).max(5),
    categories: z.array(intelligenceCategorySchema).min(1),
    /** Explains a surprising label. */
    why: z.string().optional(),
  })
  .refine(
    ({ edits, rewrite, from }) => [edits, rewrite, from].filter((way) => way !== undefined).length === 1,
    "must have one of edits, rewrite and from",
  );

/** A file of a labelled set: changes of one base text. */
const labelledFileSchema = z.strictObject({
  /** A file in the folder `bases`. */
  base: z.string().regex(/^[\w.-]+$/, "must be a file name"),
  changes: z.array(labelledEntrySchema).min(1),
});
type LabelledEntry = z.infer<typeof labelledFileSchema>["changes"][number];

/** A change with human labels. */
export type LabelledChange = {
  name: string;
  before: string | null;
  after: string;
  significance: number;
  categories: IntelligenceCategory[];
};

/** Thrown if a labelled set cannot be read. The message says where and why. */
export class LabelledSetError extends Error {}

function findOnly(text: string, part: string): number {
  const at = text.indexOf(part);
  if (at < 0) throw new LabelledSetError(`"${part}" is not in the text`);
  if (text.indexOf(part, at + 1) >= 0) throw new LabelledSetError(`"${part}" is in the text more than once`);
  return at;
}

function removeRange(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(end);
}

function removeLine(text: string, part: string): string {
  const at = findOnly(text, part);
  const end = text.indexOf("\n", at);
  return removeRange(text, text.lastIndexOf("\n", at) + 1, end < 0 ? text.length : end + 1);
}

/** Returns the position of the only line that is a given heading, with its # marks. */
function findHeading(text: string, heading: string): number {
  const [lines, line] = [`\n${text}\n`, `\n${heading}\n`];
  const at = lines.indexOf(line);
  if (/^#{1,6} /.test(heading) && at >= 0) {
    if (lines.indexOf(line, at + 1) < 0) return at;
    throw new LabelledSetError(`the heading "${heading}" is in the text more than once`);
  }
  const nameOf = (text: string) =>
    text
      .replace(/^#{1,6} +/, "")
      .trim()
      .toLowerCase();
  const similar = (text.match(/^#{1,6} .*$/gm) ?? []).find((found) => nameOf(found) === nameOf(heading));
  const hint = similar ? `write "${similar.trimEnd()}"` : 'write the whole line of a heading, such as "## Guides"';
  throw new LabelledSetError(`"${heading}" is not a heading of the text; ${hint}`);
}

/** Returns the range from a heading to the next heading of the same or a higher level. */
function sectionRange(text: string, heading: string): [number, number] {
  const start = findHeading(text, heading);
  const level = /^#+/.exec(heading)![0].length;
  const next = new RegExp(`^#{1,${level}} `, "m").exec(text.slice(start + heading.length));
  return [start, next ? start + heading.length + next.index : text.length];
}

function applyEdit(text: string, edit: Edit): string {
  if ("replace" in edit) {
    const at = findOnly(text, edit.replace);
    return text.slice(0, at) + edit.with + text.slice(at + edit.replace.length);
  }
  if ("replace_all" in edit) {
    if (!text.includes(edit.replace_all)) throw new LabelledSetError(`"${edit.replace_all}" is not in the text`);
    return text.replaceAll(edit.replace_all, () => edit.with);
  }
  if ("remove_line" in edit) return removeLine(text, edit.remove_line);
  if ("remove_section" in edit) return removeRange(text, ...sectionRange(text, edit.remove_section));
  const range = sectionRange(text, edit.move_section);
  const section = text.slice(...range).replace(/\n*$/, "\n\n");
  const rest = removeRange(text, ...range);
  const at = findHeading(rest, edit.before);
  return `${rest.slice(0, at)}${section}${rest.slice(at)}`;
}

/** Returns the text after all edits, in order. Throws LabelledSetError if one cannot be applied. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  return edits.reduce(applyEdit, text);
}

function toChange(file: string, base: string, entry: LabelledEntry): LabelledChange {
  const { significance, categories } = entry;
  const name = `${file}: ${entry.name}`;
  if (entry.from === null) return { name, before: null, after: base, significance, categories };
  const after = entry.edits ? applyEdits(base, entry.edits) : (entry.rewrite ?? base);
  if (after === base) throw new LabelledSetError(`${entry.name}: the text does not change`);
  return { name, before: base, after, significance, categories };
}

function readBase(folder: string, base: string): string {
  try {
    return readFileSync(join(folder, "bases", base), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new LabelledSetError(`the base ${base} does not exist; it must be the file ${join(folder, "bases", base)}`);
  }
}

function readOne(folder: string, file: string): LabelledChange[] {
  const { base, changes } = labelledFileSchema.parse(parse(readFileSync(join(folder, file), "utf8")));
  const text = readBase(folder, base);
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

/** What is wrong with a folder, by the code of the error. */
const folderProblems: Record<string, string> = { ENOENT: "does not exist", ENOTDIR: "is not a folder" };
const folderHint = "A set is a folder of .yaml files, with the texts that they change in its subfolder bases.";

/**
 * Returns the changes of a labelled set: a folder of YAML files, each with changes of one text in its subfolder `bases`.
 * Throws LabelledSetError.
 */
export function readLabelledSet(folder: string): LabelledChange[] {
  let files: string[];
  try {
    files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  } catch (error) {
    const reason = folderProblems[(error as NodeJS.ErrnoException).code ?? ""];
    throw new LabelledSetError(reason ? `${folder} ${reason}. ${folderHint}` : `${folder}: ${reasonOf(error)}`);
  }
  if (files.length === 0) throw new LabelledSetError(`${folder} has no YAML files. ${folderHint}`);
  return files.sort().flatMap((file) => {
    try {
      return readOne(folder, file);
    } catch (error) {
      throw new LabelledSetError(`${join(folder, file)}: ${reasonOf(error)}`);
    }
  });
}
