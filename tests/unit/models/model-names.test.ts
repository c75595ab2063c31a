import { describe, expect, it } from "vitest";
import { bundledModels, caveatOf } from "#lib/models/index";

const { names } = bundledModels(new Date("2026-11-25T12:00:00Z"));
const keyOf = (name: string, host?: string) => {
  const model = names.find(name, host);
  return model ? `${model.provider}/${model.id}` : "unknown";
};

describe("a name of a model", () => {
  it.each([
    ["gpt-5-mini", "openai/gpt-5-mini"],
    ["GPT-5-Mini", "openai/gpt-5-mini"],
    ["claude-3-5-haiku-latest", "anthropic/claude-3-5-haiku-20241022"],
    ["models/gemini-2.0-flash", "google/gemini-2.0-flash"],
    ["openrouter/openai/gpt-5-mini", "openai/gpt-5-mini"],
    ["openai:gpt-5-mini", "openai/gpt-5-mini"],
    ["accounts/fireworks/models/deepseek-v4-pro", "deepseek/deepseek-v4-pro"],
    ["ft:gpt-3.5-turbo-0613:acme::abc123", "openai/gpt-3.5-turbo-0613"],
    ["us.anthropic.claude-sonnet-4-20250514-v1:0", "anthropic/claude-sonnet-4-20250514"],
    ["anthropic.claude-3-5-haiku-20241022-v1:0", "anthropic/claude-3-5-haiku-20241022"],
    ["bedrock:global.anthropic.claude-opus-4-5-20251101-v1:0", "anthropic/claude-opus-4-5-20251101"],
    [
      "arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.claude-sonnet-4-20250514-v1:0",
      "anthropic/claude-sonnet-4-20250514",
    ],
    ["amazon.nova-canvas-v1:0", "bedrock/nova-canvas"],
    ["claude-sonnet-4@20250514", "anthropic/claude-sonnet-4-20250514"],
    ["claude-opus-4-8@default", "anthropic/claude-opus-4-8"],
    ["publishers/google/models/gemini-2.5-pro", "google/gemini-2.5-pro"],
    ["vertex_ai/gemini-2.5-pro", "vertex/gemini-2.5-pro"],
    ["openai/gpt-oss-120b", "groq/openai/gpt-oss-120b"],
    ["gpt-5-mini-2025-08-07", "openai/gpt-5-mini"],
    ["o1-mini-2024-09-12", "openai/o1-mini"],
    ["anthropic/claude-3-haiku", "anthropic/claude-3-haiku-20240307"],
    ["openrouter/anthropic/claude-3.7-sonnet:thinking", "anthropic/claude-3-7-sonnet-20250219"],
    ["anthropic/claude-3.5-sonnet", "anthropic/claude-3-5-sonnet-20241022"],
    ["anthropic/claude-4.5-sonnet", "anthropic/claude-sonnet-4-5-20250929"],
    ["openai/gpt-5-mini:online", "openai/gpt-5-mini"],
    ["google/gemini-pro-1.5", "google/gemini-1.5-pro"],
    ["gpt-35-turbo", "openai/gpt-3.5-turbo"],
    ["claude-4-sonnet-20250514", "anthropic/claude-sonnet-4-20250514"],
    ["azure/gpt-35-turbo-0613", "openai/gpt-3.5-turbo-0613"],
    ["claude-3-5-sonnet-v2@20241022", "anthropic/claude-3-5-sonnet-20241022"],
    ["gemini-1.5-flash-latest", "google/gemini-1.5-flash"],
    ["CLAUDE-3-OPUS-LATEST", "anthropic/claude-3-opus-20240229"],
    ["ft:gpt-4o-mini-2024-07-18:acme::id", "openai/gpt-4o-mini"],
  ])("%s is %s", (name, key) => expect(keyOf(name)).toBe(key));

  it("is that of a cloud where the request went there", () => {
    expect(keyOf("gemini-2.5-pro", "us-central1-aiplatform.googleapis.com")).toBe("vertex/gemini-2.5-pro");
    expect(keyOf("gemini-2.5-pro", "generativelanguage.googleapis.com")).toBe("google/gemini-2.5-pro");
  });

  it.each([
    ["us.anthropic.claude-sonnet-4-20250514-v1:0", "", "bedrock"],
    ["claude-sonnet-4-20250514", "bedrock-runtime.us-east-1.amazonaws.com", "bedrock"],
    ["claude-sonnet-4@20250514", "", "vertex"],
    ["azure/gpt-5-mini", "", "azure"],
    ["gpt-5-mini", "acme.openai.azure.com", "azure"],
    ["gpt-5-mini", "api.openai.com", undefined],
    ["openrouter/openai/gpt-5-mini", "", undefined],
    ["amazon.nova-canvas-v1:0", "", undefined],
    ["vertex_ai/gemini-2.5-pro", "", undefined],
  ])("%s at %j has the dates of its provider on %s", (name, host, cloud) => {
    const model = names.find(name, host);
    const caveat = cloud && `The dates are those of ${model?.provider}: ${cloud} may end the model on another day.`;
    expect([model !== undefined, model && caveatOf(name, model, host)]).toEqual([true, caveat]);
  });

  it.each([
    "",
    "/",
    "my-model",
    "gpt",
    "gpt-5-minimal",
    "deepseek-v4-pro:8b",
    "qwen.qwen3-32b-v1:0",
    "gpt-5.6-terra-2027-01-01",
    "gpt-4o-mini-2025-07-18",
    "claude-3-5-sonnet-20250101",
    "claude-5-3-sonnet",
    "gemini-5.1-pro",
    "gpt-53-turbo",
    "light-command",
    "4-gpt",
    "turbo-gpt-4",
    "gpt-5-mini-turbo",
    "turbo",
    "house/gpt-5-mini:8b",
    "gpt-5-mini:online",
    "-2025-08-07",
  ])("%s is unknown", (name) => expect(keyOf(name)).toBe("unknown"));
});
