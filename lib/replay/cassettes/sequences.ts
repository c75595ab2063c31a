import * as z from "zod";
import { AppError } from "#lib/platform/errors";
import { CassetteError, checkSchema, parseJson } from "./decode-cassette";
import { isCassetteId, slugSchema } from "./schemas";

/** Name of the sequence file at the root of a store. Cassettes are in folders, so none has this path. */
export const sequencesFile = "sequences.json";
export const maxSequencesByteSize = 1024 * 1024;
const maxSequenceCount = 1_000;
const maxItemCount = 1_000;

/** Names of errors in sequences and faults, with the status that most providers send. */
export const statusByErrorName: ReadonlyMap<string, number> = new Map([
  ["rate_limited", 429],
  ["server_error", 500],
  ["overloaded", 503],
]);

/** What an item of a sequence may be. */
const itemRequirement = `must be ${[...statusByErrorName.keys()].join(", ")}, a status from 400 to 599, or <folder>/<slug> of a cassette`;

const itemSchema = z
  .string()
  .refine((item) => statusByErrorName.has(item) || /^[45]\d\d$/.test(item) || isCassetteId(item), itemRequirement);

const sequencesSchema = z
  .record(slugSchema, z.array(itemSchema).min(1).max(maxItemCount), {
    error: ({ code }) =>
      code === "invalid_key" ? "a name must be lower-case words joined by single hyphens" : undefined,
  })
  .refine(
    (sequences) => Object.keys(sequences).length <= maxSequenceCount,
    `has more than ${maxSequenceCount} sequences`,
  );

/** Items of each sequence, by name. */
export type Sequences = ReadonlyMap<string, readonly string[]>;

/** Parses a sequence file. Throws CassetteError if it is malformed or exceeds a limit. */
export function parseSequences(file: Uint8Array): Sequences {
  if (file.byteLength > maxSequencesByteSize) throw new CassetteError("has more than 1 MiB");
  const value = parseJson(Buffer.from(file).toString("utf8"));
  return new Map(Object.entries(checkSchema("sequences", sequencesSchema, value)));
}

/** Longest part of a wrong item in its error, in characters. */
const maxShownLength = 100;

/** Parses a sequence of a header: items separated by commas. Throws AppError bad_request. */
export function parseSequence(text: string, name: string): readonly string[] {
  const items = text.split(",").map((item) => item.trim());
  const wrong = items.findIndex((item) => !itemSchema.safeParse(item).success);
  if (wrong < 0) return items;
  const item = items[wrong] ? `"${items[wrong].slice(0, maxShownLength)}"` : "which is empty,";
  throw new AppError("bad_request", `${name}: item ${wrong + 1}, ${item} ${itemRequirement}.`);
}

export function cassettesOfSequences(sequences: Sequences): Set<string> {
  return new Set([...sequences.values()].flat().filter(isCassetteId));
}
