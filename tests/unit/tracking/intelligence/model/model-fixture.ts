import { type Logger, pino } from "pino";
import { parseConfig } from "#lib/platform/config";
import type { Database } from "#lib/platform/database/index";
import type { ModelRequest } from "#lib/tracking/intelligence/analyse-subject";
import type { ModelSettings } from "#lib/tracking/intelligence/model/ask";
import { createModelAnalyser, type ModelAnalyserContext } from "#lib/tracking/intelligence/model/create-model-analyser";
import { analyseByRules } from "#lib/tracking/intelligence/rules/analyse-by-rules";
import { readChange } from "#lib/tracking/intelligence/store";
import { createManualClock } from "#tests/support/fetch-context";
import { type ModelDouble, modelKey } from "#tests/support/model-double";
import { addVendor, addVersion } from "#tests/support/vendor-rows";

export const firstText = `# QuarryDB

> A database.

## Guides

- [Start](https://quarry.example.com/start): begin here
- [Import](https://quarry.example.com/import): bring your rows

## Reference

- [API](https://quarry.example.com/api): every endpoint
`;
export const secondText = `# QuarryDB

> A database.

## Guides

- [Import](https://quarry.example.com/import): bring your rows
- [Start](https://quarry.example.com/start): begin here

## Billing

- [Pricing](https://quarry.example.com/pricing): plans from January on

## Reference

- [API](https://quarry.example.com/api): every endpoint and its errors
`;

export type Provider = "anthropic" | "openai-compatible";
export const providers: Provider[] = ["anthropic", "openai-compatible"];

export function settingsFor(
  double: ModelDouble,
  provider: Provider,
  given: Record<string, string> = {},
): ModelSettings {
  const isAnthropic = provider === "anthropic";
  return parseConfig({
    ANALYSIS_MODEL: isAnthropic ? "anthropic:claude-sonnet-4-5" : "openai-compatible:some/model:free",
    ANALYSIS_BASE_URL: isAnthropic ? double.origin : `${double.origin}/v1`,
    ANALYSIS_API_KEY: modelKey,
    ...given,
  });
}

/** Returns a log whose lines can be read. */
export function readableLog(): { log: Logger; lines: Record<string, unknown>[]; text: () => string } {
  const written: string[] = [];
  const log = pino({ level: "info", base: undefined }, { write: (line: string) => void written.push(line) });
  return {
    log,
    get lines() {
      return written.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    text: () => written.join(""),
  };
}

/** Sets up changes in a database, and analysers that ask the simulated provider, on a manual clock. */
export function createModelFixture(database: Database, startAt = new Date("2026-03-01T10:00:00Z")) {
  const hand = createManualClock(startAt);
  const logged = readableLog();
  const never = new AbortController().signal;
  return {
    ...hand,
    logged,
    addChange: async (
      before = firstText,
      after = secondText,
      row: Parameters<typeof addVendor>[1] = {},
    ): Promise<ModelRequest & { diffId: string }> => {
      const { slug, id: vendorId } = await addVendor(database, { name: "QuarryDB", ...row });
      await addVersion(database, slug, before, hand.clock.now());
      const { snapshotId, diffId } = await addVersion(database, slug, after, hand.clock.now());
      if (diffId === null) throw new Error("The texts are the same.");
      const subject = { vendorId, snapshotId, diffId };
      const change = await readChange(database, subject);
      return { subject, change, rules: analyseByRules(change), signal: never, diffId };
    },
    analyser: (settings: ModelSettings, changes: Partial<ModelAnalyserContext> = {}) => {
      const { clock, sleep } = hand;
      const analyser = createModelAnalyser({ database, clock, log: logged.log, settings, sleep, ...changes });
      if (!analyser) throw new Error("There is no model.");
      return analyser;
    },
    usedTokens: async () => Number((await database.modelUsage.aggregate({ _sum: { tokens: true } }))._sum.tokens ?? 0),
  };
}
