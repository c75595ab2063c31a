/**
 * Runs the conversations with clients that read their base URL and key from the environment, where they can. It is bundled
 * and run by another Node.js beside the newest major versions of the packages; prints the results as JSON.
 */
import { anthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { openai } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { Ollama } from "ollama";
import OpenAI, { AzureOpenAI } from "openai";
import { question } from "#tests/support/conversation-protocols";
import { streamSteps } from "./ai";
import { runBedrock } from "./bedrock";
import { runGemini } from "./genai";
import { runOllama } from "./ollama";
import { runChatTools, runResponses } from "./openai";

/** Names of the cassettes, and base URLs of the clients that read none from the environment. */
export type NewestInput = {
  models: Record<"anthropic" | "chat" | "responses" | "chained" | "ollama" | "bedrock", string>;
  geminiKey: string;
  azureBaseUrl: string;
  googleBaseUrl: string;
  ollamaBaseUrl: string;
};

async function run({ models, geminiKey, azureBaseUrl, googleBaseUrl, ollamaBaseUrl }: NewestInput) {
  const messages = new Anthropic().messages;
  const client = new OpenAI();
  const google = createGoogleGenerativeAI({ baseURL: googleBaseUrl, apiKey: geminiKey });
  const genai = new GoogleGenAI({});
  const local = new Ollama({ host: ollamaBaseUrl });
  return {
    node: process.versions.node,
    ai: {
      anthropic: await streamSteps(anthropic(models.anthropic)),
      chat: await streamSteps(openai.chat(models.chat)),
      responses: await streamSteps(openai.responses(models.responses)),
      gemini: await streamSteps(google("gemini-any")),
    },
    message: await messages
      .stream({ model: models.anthropic, max_tokens: 100, messages: [{ role: "user", content: question }] })
      .finalMessage(),
    azure: await runChatTools(new AzureOpenAI({ baseURL: azureBaseUrl, apiKey: "none", apiVersion: "2024-10-21" }), {
      model: models.chat,
      stream: true,
    }),
    bedrock: await runBedrock(models.bedrock),
    chat: await runChatTools(client, { model: models.chat, stream: true }),
    responses: await runResponses(client, { model: models.responses, stream: true, isChained: false }),
    chained: await runResponses(client, { model: models.chained, stream: true, isChained: true }),
    gemini: await runGemini(genai, true),
    ollama: await runOllama(local, { model: models.ollama, isStreamed: true }),
  };
}

export type NewestResults = Awaited<ReturnType<typeof run>>;

console.log(JSON.stringify(await run(JSON.parse(process.argv[2] as string))));
