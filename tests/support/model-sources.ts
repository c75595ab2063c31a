import type { Database } from "#lib/platform/database/index";
import { startTestVendors } from "./test-vendors";
import { createTracker } from "./tracker";
import { file } from "./vendor-answers";

const page = { url: "https://example.com/deprecations", accessed: "2026-08-03" };

/** A model in the shape of modeldeprecations.dev. */
export function datedModel(model: string, given: Record<string, unknown> = {}) {
  return { provider: "openai", model, name: model, status: "active", aliases: [], sources: [page], ...given };
}

/** The models of OpenAI in the shape of models.dev. */
export const pricedModels = (prices: Record<string, number>) => ({
  openai: {
    id: "openai",
    models: Object.fromEntries(
      Object.entries(prices).map(([id, input]) => [id, { id, name: id, cost: { input, output: input * 4 } }]),
    ),
  },
});

/** Both catalogues of models as doubles on the loopback interface, with JSON types, and what fetches them on a manual clock. */
export async function startModelSources(database: Database) {
  const sources = await startTestVendors({ vendorCount: 2 });
  const tracker = await createTracker(database, sources, new Date("2026-09-01T00:00:00Z"));
  const [dates, prices] = sources.vendors.map(({ slug }) => slug) as [string, string];
  const readers = { [dates]: "model_dates", [prices]: "model_prices" } as const;
  for (const [slug, reader] of Object.entries(readers)) {
    await database.vendor.update({ where: { slug }, data: { reader } });
    sources.setAnswer(slug, file({ type: "application/json" }));
  }
  const versions: Record<string, string[]> = { [dates]: [], [prices]: [] };
  const publish = (slug: string, text: string) => {
    const texts = versions[slug] as string[];
    texts.push(text);
    sources.setVersions(slug, texts);
    sources.setVersion(slug, texts.length);
  };
  return {
    ...tracker,
    sources,
    dates,
    prices,
    publishDates: (models: unknown) => publish(dates, JSON.stringify({ asOf: "2026-09-01", models }, null, 2)),
    publishPrices: (given: unknown) => publish(prices, JSON.stringify(given)),
    publish,
    refresh: (changes?: Parameters<typeof tracker.run>[1]) => tracker.run({ slugs: [dates, prices] }, changes),
    close: () => sources.close(),
  };
}
