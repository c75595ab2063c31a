import { gemini } from "#lib/replay/providers/gemini";
import { anthropic, type Provider } from "#lib/replay/providers/index";
import { ollama } from "#lib/replay/providers/ollama";
import { openaiChat } from "#lib/replay/providers/openai-chat";
import { openaiResponses } from "#lib/replay/providers/openai-responses";

export type Json = Record<string, unknown>;
type Call = { id: string; name: string; input: Json };
export type Turn = { text: string; calls: Call[] };
export type Result = { id: string; name: string; output: string };

/** What the first turn of every conversation asks. */
export const question = "What should I pack for a week in Lisbon?";
/** What the last turn of every conversation says. */
export const lastText = "Lisbon 21 °C, Porto 19 °C – pack light, and an umbrella ☔. 旅行を楽しんで 👩‍👩‍👧!";
/** Tools of the conversations, and the argument that each takes. */
export const tools = [
  { name: "get_forecast", description: "Returns the forecast for a city.", argument: "city", type: "string" },
  { name: "to_fahrenheit", description: "Converts a temperature.", argument: "celsius", type: "number" },
] as const;

/** Runs a tool. */
export function runTool(name: string, input: Json): string {
  if (name === "get_forecast") return JSON.stringify({ city: input.city, celsius: input.city === "Lisbon" ? 21 : 19 });
  return JSON.stringify({ fahrenheit: Number(input.celsius) * 1.8 + 32 });
}

/** Returns the JSON Schema of a tool's input. */
export function inputSchema({ argument, type }: (typeof tools)[number]) {
  return { type: "object" as const, properties: { [argument]: { type } }, required: [argument] as string[] };
}

/** A text and a call, then two parallel calls, then the last text. */
export function turnsOf(prefix: string): Turn[] {
  return [
    { text: "Let me look – ", calls: [{ id: `${prefix}_1`, name: "get_forecast", input: { city: "Lisbon" } }] },
    {
      text: "",
      calls: [
        { id: `${prefix}_2`, name: "get_forecast", input: { city: "Porto" } },
        { id: `${prefix}_3`, name: "to_fahrenheit", input: { celsius: 21 } },
      ],
    },
    { text: lastText, calls: [] },
  ];
}

export type Protocol = {
  provider: Provider;
  /** Start of the ids of tool calls. */
  callIds: string;
  headers: Record<string, string>;
  requestOf: (prompt: string) => Json;
  answerOf: (turn: Turn, id: string) => Json;
  /** Returns the request for the turn after this one. */
  continue: (request: Json, answer: Json, results: Result[]) => Json;
};

const append = (list: unknown, ...items: unknown[]) => [...(list as unknown[]), ...items];

const anthropicProtocol: Protocol = {
  provider: anthropic,
  callIds: "toolu_authored",
  headers: { "request-id": "req_authored_1", "anthropic-ratelimit-requests-remaining": "41" },
  requestOf: (prompt) => ({
    model: "claude-test-1",
    max_tokens: 1024,
    tools: tools.map((tool) => ({ name: tool.name, description: tool.description, input_schema: inputSchema(tool) })),
    messages: [{ role: "user", content: prompt }],
  }),
  answerOf: ({ text, calls }, id) => ({
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model: "claude-test-1",
    content: [
      ...(text === "" ? [] : [{ type: "text", text }]),
      ...calls.map((call) => ({ type: "tool_use", ...call })),
    ],
    stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 40, output_tokens: 12 },
  }),
  continue: (request, answer, results) => ({
    ...request,
    messages: append(
      request.messages,
      { role: "assistant", content: answer.content },
      {
        role: "user",
        content: results.map(({ id, output }) => ({ type: "tool_result", tool_use_id: id, content: output })),
      },
    ),
  }),
};

const openaiHeaders = { "x-request-id": "req_authored_1", "x-ratelimit-remaining-requests": "41" };

const functionTools = tools.map((tool) => ({
  type: "function",
  function: { name: tool.name, description: tool.description, parameters: inputSchema(tool) },
}));

const chatProtocol: Protocol = {
  provider: openaiChat,
  callIds: "call_authored",
  headers: openaiHeaders,
  requestOf: (prompt) => ({ model: "gpt-test-1", tools: functionTools, messages: [{ role: "user", content: prompt }] }),
  answerOf: ({ text, calls }, id) => {
    const toolCalls = calls.map(({ id, name, input }) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    }));
    const message = { role: "assistant", content: text || null, ...(calls.length > 0 && { tool_calls: toolCalls }) };
    return {
      id: `chatcmpl-${id}`,
      object: "chat.completion",
      created: 1_790_000_000,
      model: "gpt-test-1",
      choices: [{ index: 0, message, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }],
      usage: { prompt_tokens: 40, completion_tokens: 12, total_tokens: 52 },
    };
  },
  continue: (request, { choices }, results) => ({
    ...request,
    messages: append(
      request.messages,
      (choices as Json[])[0]?.message,
      ...results.map(({ id, output }) => ({ role: "tool", tool_call_id: id, content: output })),
    ),
  }),
};

/** Returns the outputs of tools as input items. */
export function functionOutputs(results: Result[]) {
  return results.map(({ id, output }) => ({ type: "function_call_output" as const, call_id: id, output }));
}

/** A conversation that repeats its history in each request. */
const responsesProtocol: Protocol = {
  provider: openaiResponses,
  callIds: "call_authored",
  headers: openaiHeaders,
  requestOf: (prompt) => ({
    model: "gpt-test-1",
    tools: tools.map((tool) => ({
      type: "function",
      name: tool.name,
      description: tool.description,
      parameters: inputSchema(tool),
      strict: false,
    })),
    input: [{ role: "user", content: prompt }],
  }),
  answerOf: ({ text, calls }, id) => ({
    id: `resp_${id}`,
    object: "response",
    created_at: 1_790_000_000,
    status: "completed",
    error: null,
    incomplete_details: null,
    model: "gpt-test-1",
    output: [
      ...(text === ""
        ? []
        : [
            {
              type: "message",
              id: `item_${id}`,
              status: "completed",
              role: "assistant",
              content: [{ type: "output_text", text, annotations: [] }],
            },
          ]),
      ...calls.map(({ id, name, input }) => ({
        type: "function_call",
        id: `fc_${id}`,
        call_id: id,
        name,
        arguments: JSON.stringify(input),
        status: "completed",
      })),
    ],
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    usage: {
      input_tokens: 40,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 12,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 52,
    },
  }),
  continue: (request, { output }, results) => ({
    ...request,
    input: append(request.input, ...(output as Json[]), ...functionOutputs(results)),
  }),
};

/** A conversation that continues each response by its id. */
const chainedProtocol: Protocol = {
  ...responsesProtocol,
  callIds: "call_chained",
  requestOf: (prompt) => ({ ...responsesProtocol.requestOf(prompt), instructions: "Answer briefly." }),
  continue: (request, { id }, results) => ({ ...request, previous_response_id: id, input: functionOutputs(results) }),
};

/** The tools as Gemini takes them. */
export const geminiTools = [
  {
    functionDeclarations: tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      parametersJsonSchema: inputSchema(tool),
    })),
  },
];

/** As in most answers of Gemini, calls have no ids. */
const geminiProtocol: Protocol = {
  provider: gemini,
  callIds: "unused",
  headers: { "server-timing": "gfet4t7; dur=300" },
  requestOf: (prompt) => ({ contents: [{ role: "user", parts: [{ text: prompt }] }], tools: geminiTools }),
  answerOf: ({ text, calls }, id) => ({
    candidates: [
      {
        content: {
          parts: [
            ...(text === "" ? [] : [{ text }]),
            ...calls.map(({ name, input }) => ({ functionCall: { name, args: input } })),
          ],
          role: "model",
        },
        finishReason: "STOP",
        index: 0,
      },
    ],
    usageMetadata: { promptTokenCount: 40, candidatesTokenCount: 12, totalTokenCount: 52 },
    modelVersion: "gemini-test-1",
    responseId: id,
  }),
  continue: (request, { candidates }, results) => ({
    ...request,
    contents: append(request.contents, (candidates as Json[])[0]?.content, {
      role: "user",
      parts: results.map(({ name, output }) => ({ functionResponse: { name, response: { output } } })),
    }),
  }),
};

/** Calls of Ollama have no ids either. */
const ollamaProtocol: Protocol = {
  provider: ollama,
  callIds: "unused",
  headers: {},
  requestOf: (prompt) => ({
    model: "llama-test-1",
    tools: functionTools,
    messages: [{ role: "user", content: prompt }],
  }),
  answerOf: ({ text, calls }) => ({
    model: "llama-test-1",
    created_at: "2026-11-01T00:00:00Z",
    message: {
      role: "assistant",
      content: text,
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ name, input }) => ({ function: { name, arguments: input } })),
      }),
    },
    done: true,
    done_reason: "stop",
    prompt_eval_count: 40,
    eval_count: 12,
  }),
  continue: (request, { message }, results) => ({
    ...request,
    messages: append(
      request.messages,
      message,
      ...results.map(({ name, output }) => ({ role: "tool", tool_name: name, content: output })),
    ),
  }),
};

export const protocols = {
  anthropic: anthropicProtocol,
  chat: chatProtocol,
  responses: responsesProtocol,
  chained: chainedProtocol,
  gemini: geminiProtocol,
  ollama: ollamaProtocol,
};
export type ProtocolName = keyof typeof protocols;
export const protocolNames = Object.keys(protocols) as ProtocolName[];
/** Each provider once. */
export const providerProtocols = protocolNames.filter((name) => name !== "chained");

/** Returns the answer of a conversation's first turn, whole and as a stream. */
export function exampleOf(name: ProtocolName) {
  const { provider, answerOf, callIds, requestOf, headers } = protocols[name];
  const body = answerOf(turnsOf(callIds)[0] as Turn, `${name}_1`);
  const { contentType, events } = provider.unfold(body);
  return { provider, headers, body, contentType, stream: events.join(""), request: requestOf(question) };
}
