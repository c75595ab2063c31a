import type { LanguageModel } from "ai";
import type { Config } from "#lib/platform/config";

export type ModelSettings = Pick<
  Config,
  | "ANALYSIS_MODEL"
  | "ANALYSIS_API_KEY"
  | "ANALYSIS_BASE_URL"
  | "ANALYSIS_MODE"
  | "ANALYSIS_TOKENS_PER_DAY"
  | "ANTHROPIC_API_KEY"
  | "ANTHROPIC_BASE_URL"
>;

type Fetch = typeof globalThis.fetch;

export type ModelProvider = {
  /** As it is configured, `anthropic:<model>`. */
  model: string;
  /** The model behind a `fetch` of one's own. */
  languageModel: (fetch: Fetch) => Promise<LanguageModel>;
  /** Where batches are handed in, and what says who does; null where the provider has none. */
  batches: { url: string; headers: Record<string, string> } | null;
};

/** Why the configured model cannot be asked; the message is for operators. */
export class ModelSettingsError extends Error {
  override readonly name = "ModelSettingsError";
}

const anthropicVersion = "2023-06-01";

/** With `/v1`, whether or not it was given with it. */
function versioned(baseUrl: string): string {
  return `${baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1`;
}

function anthropicProvider(model: string, modelId: string, settings: ModelSettings): ModelProvider {
  const apiKey = settings.ANALYSIS_API_KEY ?? settings.ANTHROPIC_API_KEY;
  if (!apiKey) throw new ModelSettingsError("ANALYSIS_MODEL needs ANALYSIS_API_KEY, or ANTHROPIC_API_KEY.");
  const baseURL = versioned(settings.ANALYSIS_BASE_URL ?? settings.ANTHROPIC_BASE_URL);
  return {
    model,
    languageModel: async (fetch) => {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ apiKey, baseURL, fetch })(modelId);
    },
    batches: {
      url: `${baseURL}/messages/batches`,
      headers: { "x-api-key": apiKey, "anthropic-version": anthropicVersion },
    },
  };
}

function compatibleProvider(model: string, modelId: string, settings: ModelSettings): ModelProvider {
  const { ANALYSIS_BASE_URL: baseURL, ANALYSIS_API_KEY: apiKey } = settings;
  if (!baseURL) throw new ModelSettingsError(`ANALYSIS_MODEL=${model} needs ANALYSIS_BASE_URL.`);
  return {
    model,
    languageModel: async (fetch) => {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const provider = { name: "analysis", baseURL, fetch, supportsStructuredOutputs: true, ...(apiKey && { apiKey }) };
      return createOpenAICompatible(provider)(modelId);
    },
    batches: null,
  };
}

/** The configured provider; undefined without one. Throws ModelSettingsError where something is missing. */
export function modelProvider(settings: ModelSettings): ModelProvider | undefined {
  const model = settings.ANALYSIS_MODEL;
  if (model === undefined) return undefined;
  const modelId = model.slice(model.indexOf(":") + 1);
  return model.startsWith("anthropic:")
    ? anthropicProvider(model, modelId, settings)
    : compatibleProvider(model, modelId, settings);
}

/** Whether changes are handed to the provider in batches rather than asked about one by one. */
export function usesBatches(settings: ModelSettings): boolean {
  return settings.ANALYSIS_MODE === "batch" && settings.ANALYSIS_MODEL?.startsWith("anthropic:") === true;
}
