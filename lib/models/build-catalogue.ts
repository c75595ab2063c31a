import * as z from "zod";
import type { CatalogueFile, ModelRow } from "./catalogue";

const day = z.iso.date();

const lifecycleSchema = z.object({
  models: z.array(
    z.object({
      provider: z.string(),
      model: z.string(),
      name: z.string(),
      aliases: z.array(z.string()).optional(),
      status: z.enum(["active", "deprecated", "retired"]),
      released_on: day.optional(),
      deprecated_on: day.optional(),
      shutdown_on: day.optional(),
      earliest_shutdown_on: day.optional(),
      replacements: z
        .array(z.object({ provider: z.string(), model: z.string(), recommended: z.boolean().optional() }))
        .optional(),
      sources: z.array(z.object({ url: z.url(), accessed: day })),
    }),
  ),
});

const pricesSchema = z.object({
  providers: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        name: z.string().optional(),
        release_date: z.string().optional(),
        cost: z
          .object({
            input: z.number(),
            output: z.number(),
            cache_read: z.number().optional(),
            cache_write: z.number().optional(),
          })
          .optional(),
        limit: z.object({ context: z.int().optional(), output: z.int().optional() }).optional(),
      }),
    ),
  ),
});

const pricesUrl = "https://models.dev";

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

type Priced = z.infer<typeof pricesSchema>["providers"][string][string];

/** Returns what a row has of a model's price and limits, and from where. */
function pricedFields({ cost, limit }: Priced): Partial<ModelRow> {
  const { input, output, cache_read: read = null, cache_write: write = null } = cost ?? {};
  return {
    ...(input === undefined || output === undefined ? {} : { price: [input, output, read, write] }),
    ...(limit ? { limits: [limit.context ?? null, limit.output ?? null] } : {}),
  };
}

/**
 * Returns the catalogue made of the dates of modeldeprecations.dev and the prices of models.dev. `pricesRead` is the day of
 * the latter. Throws ZodError.
 */
export function buildCatalogue(lifecycle: unknown, prices: unknown, pricesRead: string): CatalogueFile {
  const { models } = lifecycleSchema.parse(lifecycle);
  const { providers } = pricesSchema.parse(prices);
  const pages = [...new Set([pricesUrl, ...models.flatMap(({ sources }) => sources.map(({ url }) => url))])].sort();
  const priced = new Map<string, { id: string; provider: string; given: Priced }>();
  for (const [theirs, provider] of Object.entries(vendors)) {
    for (const [id, given] of Object.entries(providers[theirs] ?? {})) {
      priced.set(`${provider}/${id}`, { id, provider, given });
    }
  }
  const priceSource: [number, string] = [pages.indexOf(pricesUrl), pricesRead];
  const rows = models.map((model): ModelRow => {
    const { provider, model: id, aliases = [], replacements = [], sources } = model;
    const keys = [id, ...aliases].map((name) => `${provider}/${name}`);
    const { given } = priced.get(keys.find((key) => priced.has(key)) ?? "") ?? {};
    for (const key of keys) priced.delete(key);
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
      ...(given ? pricedFields(given) : {}),
      sources: [
        ...sources.map(({ url, accessed }): [number, string] => [pages.indexOf(url), accessed]),
        ...(given ? [priceSource] : []),
      ],
    };
  });
  for (const { id, provider, given } of priced.values()) {
    if (clouds.has(provider)) continue;
    const released = day.safeParse(given.release_date).data;
    const name = given.name === id ? undefined : given.name;
    rows.push({ provider, id, name, status: "unknown", released, ...pricedFields(given), sources: [priceSource] });
  }
  const read =
    models
      .flatMap(({ sources }) => sources.map(({ accessed }) => accessed))
      .sort()
      .at(-1) ?? pricesRead;
  const keyOf = ({ provider, id }: ModelRow) => `${provider}/${id}`;
  return { read, pages, models: rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) };
}

/** Returns the catalogue as text with a line for each model, so that a change is a line of a diff. */
export function serializeCatalogue({ read, pages, models }: CatalogueFile): string {
  const lines = (list: readonly unknown[]) => list.map((each) => `    ${JSON.stringify(each)}`).join(",\n");
  return `{\n  "read": "${read}",\n  "pages": [\n${lines(pages)}\n  ],\n  "models": [\n${lines(models)}\n  ]\n}\n`;
}
