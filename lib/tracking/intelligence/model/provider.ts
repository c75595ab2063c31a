import type { LanguageModel } from "ai";
import type { Config } from "#lib/platform/config";

export type ModelSettings = Pick<
  Config,
  | "ANALYSIS_MODEL"
  | "ANALYSIS_API_KEY"
  | "ANALYSIS_BASE_URL"
  | "ANALYSIS_TOKENS_PER_DAY"
  | "ANTHROPIC_API_KEY"
  | "ANTHROPIC_BASE_URL"
>;

type Fetch = typeof globalThis.fetch;

export type ModelProvider = {
  /** As configured, such as `anthropic:<model>`. */
  model: string;
  /** Returns the model, which sends its requests through `fetch`. */
  languageModel: (fetch: Fetch) => Promise<LanguageModel>;
};

/** Thrown if the settings of the model are incomplete. The message is for operators. */
export class ModelSettingsError extends Error {
  override readonly name = "ModelSettingsError";
}

/** Returns a base URL that ends with `/v1`, whether or not the given one does. */
function withVersion(baseUrl: string): string {
  return `${baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1`;
}

function anthropicProvider(model: string, modelId: string, settings: ModelSettings): ModelProvider {
  const apiKey = settings.ANALYSIS_API_KEY ?? settings.ANTHROPIC_API_KEY;
  if (!apiKey) throw new ModelSettingsError("ANALYSIS_MODEL needs ANALYSIS_API_KEY, or ANTHROPIC_API_KEY.");
  const baseURL = withVersion(settings.ANALYSIS_BASE_URL ?? settings.ANTHROPIC_BASE_URL);
  return {
    model,
    languageModel: async (fetch) => {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ apiKey, baseURL, fetch })(modelId);
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
  };
}

/** Returns the configured provider; undefined if there is none. Throws ModelSettingsError if a setting is missing. */
export function modelProvider(settings: ModelSettings): ModelProvider | undefined {
  const model = settings.ANALYSIS_MODEL;
  if (model === undefined) return undefined;
  const modelId = model.slice(model.indexOf(":") + 1);
  return model.startsWith("anthropic:")
    ? anthropicProvider(model, modelId, settings)
    : compatibleProvider(model, modelId, settings);
}
