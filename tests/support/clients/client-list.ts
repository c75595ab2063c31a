/** Which clients the tests run against the started app, and the base URL of each. */

export type Client = {
  /** Major versions that the tests run. */
  majors: readonly number[];
  /** What a base URL has after the origin. */
  basePath: "" | "/v1" | "/v1beta";
  /** Variable from which the client reads its base URL; null if it reads none, absent if no test sets it. */
  variable?: string | null;
};

/** The table in content/docs/test-your-app.md has a row for each. */
export const clients = {
  "@anthropic-ai/sdk": { majors: [1], basePath: "", variable: "ANTHROPIC_BASE_URL" },
  openai: { majors: [6, 7], basePath: "/v1", variable: "OPENAI_BASE_URL" },
  "@google/genai": { majors: [2, 3], basePath: "", variable: "GOOGLE_GEMINI_BASE_URL" },
  ollama: { majors: [0], basePath: "", variable: null },
  "@aws-sdk/client-bedrock-runtime": { majors: [3], basePath: "", variable: "AWS_ENDPOINT_URL" },
  "@ai-sdk/anthropic": { majors: [3, 4], basePath: "/v1", variable: "ANTHROPIC_BASE_URL" },
  "@ai-sdk/openai": { majors: [3, 4], basePath: "/v1", variable: "OPENAI_BASE_URL" },
  "@ai-sdk/openai-compatible": { majors: [2], basePath: "/v1", variable: null },
  "@ai-sdk/google": { majors: [3, 4], basePath: "/v1beta", variable: null },
  "@langchain/anthropic": { majors: [1], basePath: "" },
  "@langchain/openai": { majors: [1], basePath: "/v1" },
  "@openai/agents": { majors: [0], basePath: "/v1" },
  "@anthropic-ai/claude-code": { majors: [2], basePath: "", variable: "ANTHROPIC_BASE_URL" },
  "@anthropic-ai/claude-agent-sdk": { majors: [0], basePath: "", variable: "ANTHROPIC_BASE_URL" },
  "anthropic (Python)": { majors: [1], basePath: "", variable: "ANTHROPIC_BASE_URL" },
  "openai (Python)": { majors: [3], basePath: "/v1", variable: "OPENAI_BASE_URL" },
  "google-genai (Python)": { majors: [2], basePath: "", variable: "GOOGLE_GEMINI_BASE_URL" },
} as const satisfies Record<string, Client>;
export type ClientName = keyof typeof clients;

/** Returns the base URL that a client is configured with. */
export function baseUrlOf(name: ClientName, origin: string): string {
  return origin + clients[name].basePath;
}

/** Packages that the extended tests install, with their newest major versions. Most of them need Node.js 22. */
export const newestPackages = [
  "@anthropic-ai/sdk@1",
  "ai@7",
  "@ai-sdk/anthropic@4",
  "@ai-sdk/openai@4",
  "@ai-sdk/google@4",
  "openai@7",
  "@google/genai@3",
  "ollama@0",
  "@aws-sdk/client-bedrock-runtime@3",
  "@smithy/node-http-handler@4",
  "zod@4",
] as const;

/** Clients of the extended tests that get no base URL. */
export const unawarePackages = [
  "openai@6",
  "@anthropic-ai/sdk@1",
  "@google/genai@2",
  "groq-sdk@1",
  "@mistralai/mistralai@2",
  "cohere-ai@8",
  "ollama@0",
  "axios@1",
  "@aws-sdk/client-bedrock-runtime@3",
  "ai@6",
  "@ai-sdk/openai@3",
  "@ai-sdk/anthropic@3",
  "@ai-sdk/google@3",
  "@ai-sdk/groq@3",
  "@ai-sdk/mistral@3",
  "@ai-sdk/xai@3",
  "@ai-sdk/deepseek@2",
  "@ai-sdk/cohere@3",
  "@ai-sdk/azure@3",
  "@ai-sdk/amazon-bedrock@4",
  "@openrouter/ai-sdk-provider@2",
  "bun@1",
  "deno@2",
  "turbo@2",
] as const;

/** Libraries that mock sockets. */
export const socketMocks = ["msw@3", "nock@15"] as const;

/** Packages of Python that the extended tests install if there is a Python. */
export const pythonPackages = ["anthropic@1", "openai@3", "google-genai@2"] as const;

/** Clients of Python that get no base URL. */
export const unawarePythonPackages = [
  "openai@3",
  "anthropic@1",
  "groq@1",
  "google-genai@2",
  "boto3@1",
  "requests@2",
  "httpx@0",
  "aiohttp@3",
  "websocket-client@1",
] as const;

/** Claude Code and its SDK, which the extended tests install as well. */
export const claudeCodePackages = ["@anthropic-ai/claude-code@2", "@anthropic-ai/claude-agent-sdk@0"] as const;
