import * as z from "zod";
import type { ModelRow } from "./catalogue";
import { keyOf } from "./model-names";

/** Catalogues of others that the catalogue of models is made of, by what they are read for. */
export const modelReaders = ["model_dates", "model_prices"] as const;
export type ModelReader = (typeof modelReaders)[number];

export function isModelReader(reader: string): reader is ModelReader {
  return modelReaders.some((known) => known === reader);
}

/** What one source says of a model. The sources of dates name pages, with the day on which they were read. */
export type SourceRow = Omit<ModelRow, "sources"> & { sources?: [url: string, read: string][] | undefined };

const day = z.iso.date();
/** Text that PostgreSQL accepts: without NUL and halves of surrogate pairs. */
const text = z
  .string()
  .max(200)
  .regex(/^[^\0\p{Cs}]+$/u, "must be text");
const usd = z.number().min(0);
/** Most aliases, successors or sources of a model. */
const maxListLength = 100;

const datesSchema = z.object({
  models: z.array(
    z.object({
      provider: text,
      model: text,
      name: text,
      aliases: z.array(text).max(maxListLength).optional(),
      status: z.enum(["active", "deprecated", "retired"]),
      released_on: day.optional(),
      deprecated_on: day.optional(),
      shutdown_on: day.optional(),
      earliest_shutdown_on: day.optional(),
      replacements: z
        .array(z.object({ provider: text, model: text, recommended: z.boolean().optional() }))
        .max(maxListLength)
        .optional(),
      sources: z.array(z.object({ url: z.url({ protocol: /^https?$/ }).max(2_000), accessed: day })).max(maxListLength),
    }),
  ),
});

const pricedSchema = z.object({
  name: text.optional(),
  release_date: z.string().optional(),
  cost: z.object({ input: usd, output: usd, cache_read: usd.optional(), cache_write: usd.optional() }).optional(),
  limit: z.object({ context: z.int().min(0).optional(), output: z.int().min(0).optional() }).optional(),
});
const pricedModelsSchema = z.record(text, pricedSchema);

/** Providers of the prices whose models are listed, and their names in the catalogue. Resellers of others' are left out. */
const vendors: Readonly<Record<string, string>> = {
  alibaba: "alibaba",
  anthropic: "anthropic",
  cerebras: "cerebras",
  cohere: "cohere",
  deepseek: "deepseek",
  google: "google",
  "google-vertex": "vertex",
  groq: "groq",
  minimax: "minimax",
  mistral: "mistral",
  moonshotai: "moonshot",
  openai: "openai",
  perplexity: "perplexity",
  xai: "xai",
  zai: "z-ai",
};

/** Of clouds, only models with dates are listed. */
const clouds: ReadonlySet<string> = new Set(["vertex"]);

/** Whether a model is listed that has a price alone. */
export const isListedByPrice = ({ provider }: Pick<ModelRow, "provider">): boolean => !clouds.has(provider);

/** Returns the rows of the dates of modeldeprecations.dev. Throws ZodError. */
export function readDates(given: unknown): SourceRow[] {
  return datesSchema.parse(given).models.map(({ provider, model: id, aliases = [], replacements = [], ...model }) => {
    const successors = [...replacements].sort(
      (a, b) => Number(b.recommended === true) - Number(a.recommended === true),
    );
    return {
      provider,
      id,
      name: model.name === id ? undefined : model.name,
      ...(aliases.length > 0 ? { aliases } : {}),
      status: model.status,
      released: model.released_on,
      deprecated: model.deprecated_on,
      retired: model.shutdown_on,
      notBefore: model.earliest_shutdown_on,
      ...(successors.length > 0 ? { successors: successors.map((each) => `${each.provider}/${each.model}`) } : {}),
      sources: model.sources.map(({ url, accessed }) => [url, accessed]),
    };
  });
}

function readPriced(provider: string, id: string, { name, release_date, cost, limit }: z.infer<typeof pricedSchema>) {
  const { input, output, cache_read: read = null, cache_write: write = null } = cost ?? {};
  const row: SourceRow = {
    provider,
    id,
    name: name === id ? undefined : name,
    status: "unknown",
    released: day.safeParse(release_date).data,
  };
  if (input !== undefined && output !== undefined) row.price = [input, output, read, write];
  if (limit) row.limits = [limit.context ?? null, limit.output ?? null];
  return row;
}

/** Returns the rows of the prices of models.dev, of the listed providers: `{<provider>: {models: {<id>: …}}}`. Throws ZodError. */
export function readPrices(given: unknown): SourceRow[] {
  const providers = z.record(z.string(), z.unknown()).parse(given);
  return Object.entries(vendors).flatMap(([theirs, provider]) => {
    if (providers[theirs] === undefined) return [];
    const { models } = z.object({ models: pricedModelsSchema }).parse(providers[theirs]);
    return Object.entries(models).map(([id, priced]) => readPriced(provider, id, priced));
  });
}

const readers = { model_dates: readDates, model_prices: readPrices } as const;

/** The file of a source cannot be read as what it is. The message says why. */
export class ModelSourceError extends Error {
  override readonly name = "ModelSourceError";
}

/** Returns a source's file as JSON lines, one for each model, by provider and id. Throws ModelSourceError. */
export function readModelSource(reader: ModelReader, file: string): string {
  try {
    const rows = readers[reader](JSON.parse(file.replace(/^\ufeff/, "")));
    if (rows.length === 0) throw new ModelSourceError("the file has no models");
    const lines = new Map(rows.map((row) => [keyOf(row), JSON.stringify(row)]));
    return [...lines]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, line]) => `${line}\n`)
      .join("");
  } catch (error) {
    if (error instanceof SyntaxError) throw new ModelSourceError("the file is not JSON");
    if (!(error instanceof z.ZodError)) throw error;
    const { path = [], message = "" } = error.issues[0] ?? {};
    throw new ModelSourceError(`the file has another shape: ${path.join(".") || "it"}: ${message}`.slice(0, 300));
  }
}

/** Returns the rows of the lines that `readModelSource` wrote. */
export function parseRows(lines: string): SourceRow[] {
  return lines.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as SourceRow]));
}
