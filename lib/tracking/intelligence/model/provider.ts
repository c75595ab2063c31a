import type { LanguageModel } from "ai";
import type { Config } from "#lib/platform/config";

type SettingName =
  | `ANALYSIS_${"MODEL" | "API_KEY" | "BASE_URL" | "TOKENS_PER_DAY"}`
  | `ANTHROPIC_${"API_KEY" | "BASE_URL"}`;
export type ModelSettings = Pick<Config, SettingName>;

export type ModelProvider = {
  /** As configured, such as `anthropic:<model>`. */
  model: string;
  /** Returns the model, which sends its requests through `fetch`. */
  languageModel: (fetch: typeof globalThis.fetch) => Promise<LanguageModel>;
};

/** Returns the configured provider; undefined if there is none, and for operators, which setting is missing. */
export function modelProvider(settings: ModelSettings): ModelProvider | { failure: string } | undefined {
  const { ANALYSIS_MODEL: model, ANALYSIS_BASE_URL: baseURL } = settings;
  if (model === undefined) return undefined;
  const modelId = model.slice(model.indexOf(":") + 1);
  if (!model.startsWith("anthropic:")) {
    if (!baseURL) return { failure: `ANALYSIS_MODEL=${model} needs ANALYSIS_BASE_URL.` };
    const apiKey = settings.ANALYSIS_API_KEY;
    return {
      model,
      languageModel: async (fetch) => {
        const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
        const provider = { name: "analysis", baseURL, fetch, supportsStructuredOutputs: true };
        return createOpenAICompatible({ ...provider, ...(apiKey && { apiKey }) })(modelId);
      },
    };
  }
  const apiKey = settings.ANALYSIS_API_KEY ?? settings.ANTHROPIC_API_KEY;
  if (!apiKey) return { failure: "ANALYSIS_MODEL needs ANALYSIS_API_KEY, or ANTHROPIC_API_KEY." };
  const host = (baseURL ?? settings.ANTHROPIC_BASE_URL).replace(/\/+$/, "").replace(/\/v1$/, "");
  return {
    model,
    languageModel: async (fetch) => {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ apiKey, baseURL: `${host}/v1`, fetch })(modelId);
    },
  };
}
