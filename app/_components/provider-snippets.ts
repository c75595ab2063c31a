/** What of a code example depends on the protocol. Prompts don't matter: the cassette is the answer. */
type ProviderCode = {
  /** Path and query of a request, and its body, given the model. */
  path: string;
  body: (model: string) => Record<string, unknown>;
  /** Whether the cassette is named by the API key, because the model is in the path. */
  isNamedByKey?: true;
  sdkTitle: string;
  sdk: (input: { id: string; origin: string }) => string;
  /** How an EventSource reads the text; null for lines of JSON. */
  eventSource: string | null;
  /** Python that reads the text of one `line`, indented by eight spaces. */
  python: string;
};

const prompt = "Any prompt: the cassette is the answer.";
const messages = [{ role: "user", content: prompt }];
const messagesCode = `[{ role: "user", content: "${prompt}" }]`;

export const providerSnippets: Readonly<Record<string, ProviderCode>> = {
  anthropic: {
    path: "/v1/messages",
    body: (model) => ({ model, max_tokens: 1024, stream: true, messages }),
    sdkTitle: "Anthropic SDK",
    sdk: ({ id, origin }) => `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: "${origin}", apiKey: "none" });
const stream = client.messages.stream({
  model: "cassette:${id}",
  max_tokens: 1024,
  messages: ${messagesCode},
});
stream.on("text", (text) => process.stdout.write(text));
await stream.finalMessage();`,
    eventSource: `source.addEventListener("content_block_delta", ({ data }) => {
  const { delta } = JSON.parse(data);
  if (delta.type === "text_delta") document.body.append(delta.text);
});`,
    python: `        if line.startswith(b"data: "):
            event = json.loads(line[6:])
            if event["type"] == "content_block_delta":
                print(event["delta"].get("text", ""), end="", flush=True)`,
  },
  "openai-chat": {
    path: "/v1/chat/completions",
    body: (model) => ({ model, stream: true, messages }),
    sdkTitle: "OpenAI SDK",
    sdk: ({ id, origin }) => `import OpenAI from "openai";

const openai = new OpenAI({ baseURL: "${origin}/v1", apiKey: "none" });
const stream = await openai.chat.completions.create({
  model: "cassette:${id}",
  stream: true,
  messages: ${messagesCode},
});
for await (const { choices } of stream) {
  const { content, refusal, tool_calls } = choices[0]?.delta ?? {};
  process.stdout.write(content ?? refusal ?? tool_calls?.[0]?.function?.arguments ?? "");
}`,
    eventSource: `source.addEventListener("message", ({ data }) => {
  if (data === "[DONE]") return;
  const { content, refusal } = JSON.parse(data).choices[0]?.delta ?? {};
  document.body.append(content ?? refusal ?? "");
});`,
    python: `        if line.startswith(b"data: {"):
            for choice in json.loads(line[6:])["choices"]:
                delta = choice["delta"]
                print(delta.get("content") or delta.get("refusal") or "", end="", flush=True)`,
  },
  "openai-responses": {
    path: "/v1/responses",
    body: (model) => ({ model, stream: true, input: prompt }),
    sdkTitle: "OpenAI SDK",
    sdk: ({ id, origin }) => `import OpenAI from "openai";

const openai = new OpenAI({ baseURL: "${origin}/v1", apiKey: "none" });
const stream = await openai.responses.create({
  model: "cassette:${id}",
  stream: true,
  input: "${prompt}",
});
for await (const event of stream) {
  if (event.type === "response.output_text.delta") process.stdout.write(event.delta);
  if (event.type === "response.output_item.done") console.log(event.item.type);
}`,
    eventSource: `source.addEventListener("response.output_text.delta", ({ data }) => {
  document.body.append(JSON.parse(data).delta);
});`,
    python: `        if line.startswith(b"data: "):
            event = json.loads(line[6:])
            if event["type"] == "response.output_text.delta":
                print(event["delta"], end="", flush=True)`,
  },
  gemini: {
    path: "/v1beta/models/any:streamGenerateContent?alt=sse",
    body: () => ({ contents: [{ role: "user", parts: [{ text: prompt }] }] }),
    isNamedByKey: true,
    sdkTitle: "Google Gen AI SDK",
    sdk: ({ id, origin }) => `import { GoogleGenAI } from "@google/genai";

const client = new GoogleGenAI({ apiKey: "cassette:${id}", httpOptions: { baseUrl: "${origin}" } });
const stream = await client.models.generateContentStream({
  model: "any",
  contents: "${prompt}",
});
for await (const { candidates } of stream) {
  for (const { text, functionCall } of candidates?.[0]?.content?.parts ?? []) {
    process.stdout.write(text ?? JSON.stringify(functionCall));
  }
}`,
    eventSource: `source.addEventListener("message", ({ data }) => {
  for (const { text, thought } of JSON.parse(data).candidates[0].content.parts) {
    if (text && !thought) document.body.append(text);
  }
});`,
    python: `        if line.startswith(b"data: "):
            for candidate in json.loads(line[6:])["candidates"]:
                for part in candidate["content"]["parts"]:
                    print(part.get("text", ""), end="", flush=True)`,
  },
  ollama: {
    path: "/api/chat",
    body: (model) => ({ model, messages }),
    sdkTitle: "Ollama SDK",
    sdk: ({ id, origin }) => `import { Ollama } from "ollama";

const client = new Ollama({ host: "${origin}" });
const stream = await client.chat({
  model: "cassette:${id}",
  stream: true,
  messages: ${messagesCode},
});
for await (const { message } of stream) process.stdout.write(message.content);`,
    eventSource: null,
    python: `        message = json.loads(line)["message"]
        print(message["content"], end="", flush=True)`,
  },
};
