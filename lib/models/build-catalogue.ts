import type { CatalogueFile, ModelRow } from "./catalogue";
import { keyOf } from "./model-names";
import { isListedByPrice, readDates, readPrices, type SourceRow } from "./read-source";

const pricesUrl = "https://models.dev";

/** A source with the day on which it was read, and its address if that counts as a page of its models. */
type Source = { rows: readonly SourceRow[]; page: [url: string, read: string] | undefined };

/** Returns the catalogue of models with dates and prices. `read` is the day of the catalogue. */
export function mergeSources(dates: Source, prices: Source, read: string): CatalogueFile {
  const named = [dates.page, prices.page, ...dates.rows.flatMap(({ sources = [] }) => sources)];
  const pages = [...new Set(named.flatMap((page) => (page ? [page[0]] : [])))].sort();
  const toSources = (given: readonly (Source["page"] | undefined)[]) =>
    given.flatMap((page): [number, string][] => (page ? [[pages.indexOf(page[0]), page[1]]] : []));
  const priced = new Map(prices.rows.map((row) => [keyOf(row), row]));
  const models = dates.rows.map((row): ModelRow => {
    const { sources = [], ...known } = row;
    const { provider, id, aliases = [] } = known;
    const keys = [id, ...aliases].map((name) => `${provider}/${name}`);
    const given = priced.get(keys.find((key) => priced.has(key)) ?? "");
    for (const key of keys) priced.delete(key);
    const { price, limits } = given ?? {};
    return {
      ...known,
      ...(price ? { price } : {}),
      ...(limits ? { limits } : {}),
      sources: toSources([...sources, dates.page, given && prices.page]),
    };
  });
  for (const row of priced.values()) {
    if (isListedByPrice(row)) models.push({ ...row, sources: toSources([prices.page]) });
  }
  return { read, pages, models: models.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) };
}

/**
 * Returns the catalogue made of the files of modeldeprecations.dev and models.dev. `pricesRead` is the day of the latter.
 * Throws ZodError.
 */
export function buildCatalogue(lifecycle: unknown, prices: unknown, pricesRead: string): CatalogueFile {
  const rows = readDates(lifecycle);
  const days = rows.flatMap(({ sources = [] }) => sources.map(([, read]) => read)).sort();
  const priced: Source = { rows: readPrices(prices), page: [pricesUrl, pricesRead] };
  return mergeSources({ rows, page: undefined }, priced, days.at(-1) ?? pricesRead);
}

/** Returns the catalogue as text with a line for each model, so that a change is a line of a diff. */
export function serializeCatalogue({ read, pages, models }: CatalogueFile): string {
  const lines = (list: readonly unknown[]) => list.map((each) => `    ${JSON.stringify(each)}`).join(",\n");
  return `{\n  "read": "${read}",\n  "pages": [\n${lines(pages)}\n  ],\n  "models": [\n${lines(models)}\n  ]\n}\n`;
}
