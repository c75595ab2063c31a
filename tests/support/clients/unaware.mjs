/** Asks one question through each client but those named by arguments, with nothing but a key. Prints the answers as JSON. */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

globalThis.AI_SDK_LOG_WARNINGS = false;

const required = createRequire(`${process.cwd()}/package.json`);
const load = (name) => import(pathToFileURL(required.resolve(name)).href);
const prompt = "What is the capital of Portugal?";
const messages = [{ role: "user", content: prompt }];
const apiKey = "not-to-be-stored-0123456789";
process.env.AWS_ACCESS_KEY_ID = "AKIANOTTOBESTORED0000";
process.env.AWS_SECRET_ACCESS_KEY = apiKey;
process.env.AWS_REGION = "us-east-1";

async function viaAi(name, create) {
  const { generateText } = await load("ai");
  const { text } = await generateText({ model: create(await load(name)), prompt, maxRetries: 0 });
  return text;
}

const clients = {
  openai: async () => {
    const { default: OpenAI } = await load("openai");
    const answer = await new OpenAI({ apiKey }).chat.completions.create({ model: "gpt-test", messages });
    return answer.choices[0].message.content;
  },
  "openai stream": async () => {
    const { default: OpenAI } = await load("openai");
    const stream = await new OpenAI({ apiKey }).chat.completions.create({ model: "gpt-test", messages, stream: true });
    let text = "";
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
    return text;
  },
  AzureOpenAI: async () => {
    const { AzureOpenAI } = await load("openai");
    const options = {
      apiKey,
      endpoint: "https://tapedeck.openai.azure.com",
      apiVersion: "2024-10-21",
      deployment: "d",
    };
    const answer = await new AzureOpenAI(options).chat.completions.create({ model: "gpt-test", messages });
    return answer.choices[0].message.content;
  },
  "@anthropic-ai/sdk": async () => {
    const { default: Anthropic } = await load("@anthropic-ai/sdk");
    const answer = await new Anthropic({ apiKey }).messages.create({ model: "claude-test", max_tokens: 9, messages });
    return answer.content[0].text;
  },
  "@google/genai": async () => {
    const { GoogleGenAI } = await load("@google/genai");
    return (await new GoogleGenAI({ apiKey }).models.generateContent({ model: "gemini-test", contents: prompt })).text;
  },
  "groq-sdk": async () => {
    const { default: Groq } = await load("groq-sdk");
    const answer = await new Groq({ apiKey }).chat.completions.create({ model: "llama-test", messages });
    return answer.choices[0].message.content;
  },
  "@mistralai/mistralai": async () => {
    const { Mistral } = await load("@mistralai/mistralai");
    const answer = await new Mistral({ apiKey }).chat.complete({ model: "mistral-test", messages });
    return answer.choices[0].message.content;
  },
  "cohere-ai": async () => {
    const { CohereClientV2 } = await load("cohere-ai");
    const answer = await new CohereClientV2({ token: apiKey }).chat({ model: "command-test", messages });
    return answer.message.content[0].text;
  },
  ollama: async () => {
    const { Ollama } = await load("ollama");
    return (await new Ollama().chat({ model: "llama-test", messages })).message.content;
  },
  axios: async () => {
    const { default: axios } = await load("axios");
    const headers = { authorization: `Bearer ${apiKey}` };
    const url = "https://api.deepseek.com/chat/completions";
    const { data } = await axios.post(url, { model: "deepseek-test", messages }, { headers });
    return data.choices[0].message.content;
  },
  "@aws-sdk/client-bedrock-runtime": async () => {
    const { BedrockRuntimeClient, ConverseCommand } = await load("@aws-sdk/client-bedrock-runtime");
    const content = [{ text: prompt }];
    const command = new ConverseCommand({ modelId: "m", messages: [{ role: "user", content }] });
    return (await new BedrockRuntimeClient({}).send(command)).output.message.content[0].text;
  },
  "@aws-sdk/client-bedrock-runtime stream": async () => {
    const { BedrockRuntimeClient, ConverseStreamCommand } = await load("@aws-sdk/client-bedrock-runtime");
    const content = [{ text: prompt }];
    const command = new ConverseStreamCommand({ modelId: "m", messages: [{ role: "user", content }] });
    let text = "";
    for await (const event of (await new BedrockRuntimeClient({}).send(command)).stream)
      text += event.contentBlockDelta?.delta.text ?? "";
    return text;
  },
  WebSocket: () =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket("wss://api.openai.com/v1/realtime?model=gpt-test");
      socket.onopen = () => socket.send(JSON.stringify({ type: "response.create", response: prompt }));
      socket.onmessage = ({ data }) => {
        socket.close();
        resolve(JSON.parse(data).text);
      };
      socket.onerror = ({ message }) => reject(new Error(message));
    }),
  "ai + openai": () => viaAi("@ai-sdk/openai", (it) => it.createOpenAI({ apiKey })("gpt-test")),
  "ai + anthropic": () => viaAi("@ai-sdk/anthropic", (it) => it.createAnthropic({ apiKey })("claude-test")),
  "ai + google": () => viaAi("@ai-sdk/google", (it) => it.createGoogleGenerativeAI({ apiKey })("gemini-test")),
  "ai + groq": () => viaAi("@ai-sdk/groq", (it) => it.createGroq({ apiKey })("llama-test")),
  "ai + mistral": () => viaAi("@ai-sdk/mistral", (it) => it.createMistral({ apiKey })("mistral-test")),
  "ai + xai": () => viaAi("@ai-sdk/xai", (it) => it.createXai({ apiKey }).chat("grok-test")),
  "ai + deepseek": () => viaAi("@ai-sdk/deepseek", (it) => it.createDeepSeek({ apiKey })("deepseek-test")),
  "ai + cohere": () => viaAi("@ai-sdk/cohere", (it) => it.createCohere({ apiKey })("command-test")),
  "ai + azure": () => viaAi("@ai-sdk/azure", (it) => it.createAzure({ apiKey, resourceName: "tapedeck" }).chat("d")),
  "ai + amazon-bedrock": () =>
    viaAi("@ai-sdk/amazon-bedrock", (it) => it.createAmazonBedrock({ region: "us-east-1" })("m")),
  "ai + openrouter": () => viaAi("@openrouter/ai-sdk-provider", (it) => it.createOpenRouter({ apiKey }).chat("r/m")),
};

const answers = {};
const leftOut = process.argv.slice(2);
for (const [name, ask] of Object.entries(clients).filter(([name]) => !leftOut.includes(name)))
  answers[name] = await ask().catch((error) => `${error.name}: ${error.message}`);
process.stdout.write(JSON.stringify(answers));
