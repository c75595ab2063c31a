import type { Provider } from "./provider";

/** What pages load in browsers: the code of one provider, instead of all that index.ts brings. */

export type { RecordedEvent } from "./events";
export type { Answer, Citation, Delta, Provider } from "./provider";
export { outputTokensOf } from "./tokens";

const loaders = new Map<string, () => Promise<Provider>>([
  ["anthropic", async () => (await import("./anthropic")).anthropic],
  ["openai-chat", async () => (await import("./openai-chat")).openaiChat],
  ["openai-responses", async () => (await import("./openai-responses")).openaiResponses],
  ["gemini", async () => (await import("./gemini")).gemini],
  ["ollama", async () => (await import("./ollama")).ollama],
  ["http", async () => (await import("./http")).http],
]);

/** Loads the code of a provider. Throws if there is none of this name. */
export async function loadProvider(name: string): Promise<Provider> {
  const load = loaders.get(name);
  if (!load) throw new Error(`Unknown provider ${name}.`);
  return load();
}
