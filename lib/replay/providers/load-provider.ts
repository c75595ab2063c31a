import type { Provider } from "./provider";

const loaders = new Map<string, () => Promise<Provider>>([
  ["anthropic", async () => (await import("./anthropic")).anthropic],
  ["openai-chat", async () => (await import("./openai-chat")).openaiChat],
  ["openai-responses", async () => (await import("./openai-responses")).openaiResponses],
  ["gemini", async () => (await import("./gemini")).gemini],
  ["ollama", async () => (await import("./ollama")).ollama],
]);

/** Loads the code of one provider, for browsers, which need no other. */
export async function loadProvider(name: string): Promise<Provider> {
  const load = loaders.get(name);
  if (!load) throw new Error(`Unknown provider ${name}.`);
  return load();
}
