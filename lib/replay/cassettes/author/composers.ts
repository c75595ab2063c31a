import { composeAnthropic } from "./compose-anthropic";
import { composeGemini } from "./compose-gemini";
import { composeOllama } from "./compose-ollama";
import { composeOpenaiChat } from "./compose-openai-chat";
import { composeOpenaiResponses } from "./compose-openai-responses";
import type { Composer } from "./compose-stream";

const composers = [composeAnthropic, composeOpenaiChat, composeOpenaiResponses, composeGemini, composeOllama];

/** Returns the composer of a protocol. Throws for plain HTTP. */
export function requireComposer(name: string): Composer {
  const composer = composers.find(({ provider }) => provider.name === name);
  if (!composer) throw new Error(`There is no composer for ${name}.`);
  return composer;
}
