import { readFileSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { type Content, type GenerateContentResponse, GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import type { Cassette } from "#lib/replay/cassettes/format";
import { objectOf } from "#lib/replay/cassettes/request";
import { adapters } from "#tests/support/adapters";
import { bundledFolder, bundledIds } from "#tests/support/bundled-cassettes";

type Json = Record<string, unknown>;
type Script = { continues?: string; results?: (string | Json)[] };
/** What a client knows after a turn: its history with the answer, and the calls that it has to answer. */
type Turn = { history: unknown[]; calls: { id: string; name: string }[] };

const scriptOf = (id: string): Script => parse(readFileSync(join(bundledFolder, `${id}.yaml`), "utf8"));
const cassetteOf = (id: string): Cassette => JSON.parse(readFileSync(join(bundledFolder, `${id}.json`), "utf8"));

function turnsFrom(id: string): string[] {
  const next = bundledIds.find((other) => scriptOf(other).continues === id);
  return next === undefined ? [id] : [id, ...turnsFrom(next)];
}

const conversations = bundledIds
  .filter((id) => scriptOf(id).continues === undefined)
  .map(turnsFrom)
  .filter((turns) => turns.length > 1)
  .map((turns) => ({ first: turns[0] as string, turns, ...cassetteOf(turns[0] as string) }));

const textOf = (output: string | Json) => (typeof output === "string" ? output : JSON.stringify(output));

/** The base URL, the fields of the first request without its history, and the history. */
type Ask = { origin: string; body: Json; history: unknown[]; isStreamed: boolean };

/** How an unmodified client of each provider asks, and how it appends the results of tools. */
const clients: Record<
  string,
  { field: string; ask: (input: Ask) => Promise<Turn>; results: (turn: Turn, outputs: (string | Json)[]) => unknown[] }
> = {
  anthropic: {
    field: "messages",
    ask: async ({ origin, body, history, isStreamed }) => {
      const client = new Anthropic({ baseURL: origin, apiKey: "none", maxRetries: 0 });
      const request = {
        ...body,
        messages: history,
        stream: false,
      } as unknown as Anthropic.MessageCreateParamsNonStreaming;
      const { stream: _stream, ...streamed } = request;
      const { role, content } = isStreamed
        ? await client.messages.stream(streamed).finalMessage()
        : await client.messages.create(request);
      const calls = content.flatMap((block) => (block.type === "tool_use" ? [{ id: block.id, name: block.name }] : []));
      return { history: [...history, { role, content }], calls };
    },
    results: ({ calls }, outputs) => [
      {
        role: "user",
        content: calls.map(({ id }, index) => ({
          type: "tool_result",
          tool_use_id: id,
          content: textOf(outputs[index] as string),
        })),
      },
    ],
  },
  "openai-chat": {
    field: "messages",
    ask: async ({ origin, body, history, isStreamed }) => {
      const { completions } = new OpenAI({ baseURL: `${origin}/v1`, apiKey: "none", maxRetries: 0 }).chat;
      const request = { ...body, messages: history, stream: isStreamed };
      const { choices } = isStreamed
        ? await completions.stream(request as never).finalChatCompletion()
        : await completions.create(request as unknown as OpenAI.ChatCompletionCreateParamsNonStreaming);
      const [choice] = choices;
      if (!choice) throw new Error("The answer has no choice.");
      const { role, content, refusal, tool_calls } = choice.message;
      const calls = tool_calls?.map((call) => ({ id: call.id, name: "function" in call ? call.function.name : "" }));
      return { history: [...history, { role, content, refusal, ...(calls && { tool_calls }) }], calls: calls ?? [] };
    },
    results: ({ calls }, outputs) =>
      calls.map(({ id }, index) => ({ role: "tool", tool_call_id: id, content: textOf(outputs[index] as string) })),
  },
  "openai-responses": {
    field: "input",
    ask: async ({ origin, body, history, isStreamed }) => {
      const { responses } = new OpenAI({ baseURL: `${origin}/v1`, apiKey: "none", maxRetries: 0 });
      const request = { ...body, input: history, stream: isStreamed };
      let output: OpenAI.Responses.ResponseOutputItem[] = [];
      if (isStreamed) {
        for await (const event of await responses.create(request as OpenAI.Responses.ResponseCreateParamsStreaming)) {
          if (event.type === "response.completed") output = event.response.output;
        }
      } else ({ output } = await responses.create(request as OpenAI.Responses.ResponseCreateParamsNonStreaming));
      const calls = output.flatMap((item) =>
        item.type === "function_call" ? [{ id: item.call_id, name: item.name }] : [],
      );
      return { history: [...history, ...output], calls };
    },
    results: ({ calls }, outputs) =>
      calls.map(({ id }, index) => ({
        type: "function_call_output",
        call_id: id,
        output: textOf(outputs[index] as string),
      })),
  },
  gemini: {
    field: "contents",
    ask: async ({ origin, body, history, isStreamed }) => {
      const { models } = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: origin } });
      const { generationConfig, systemInstruction, tools } = body;
      const config = { ...(generationConfig as Json), systemInstruction, tools } as never;
      const request = { model: "any", contents: structuredClone(history) as Content[], config };
      const answers: GenerateContentResponse[] = [];
      if (isStreamed) for await (const part of await models.generateContentStream(request)) answers.push(part);
      else answers.push(await models.generateContent(request));
      const parts = answers.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
      const calls = parts.flatMap(({ functionCall: call }) =>
        call ? [{ id: call.id ?? "", name: call.name ?? "" }] : [],
      );
      return { history: [...history, { role: "model", parts }], calls };
    },
    results: ({ calls }, outputs) => [
      {
        role: "user",
        parts: calls.map(({ id, name }, index) => ({
          functionResponse: { id, name, response: outputs[index] as Json },
        })),
      },
    ],
  },
};

type Reply = { cassette: string | null; match: string | null };
const replies: Reply[] = [];

beforeEach(() => {
  const send = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set("x-replay-speed", "max");
    const response = await send(input, { ...init, headers });
    replies.push({
      cassette: response.headers.get("x-replay-cassette"),
      match: response.headers.get("x-replay-match"),
    });
    return response;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  replies.length = 0;
});

/** Plays a conversation as a client does, with the results of the scripts, and returns which cassettes answered. */
async function play(
  origin: string,
  { provider, request, turns }: (typeof conversations)[number],
  isStreamed: boolean,
  model: string,
): Promise<Reply[]> {
  const client = clients[provider];
  if (!client) throw new Error(`There is no client for ${provider}.`);
  const { [client.field]: first, ...rest } = objectOf(request.body) as Json;
  const body = { ...rest, model };
  let history = first as unknown[];
  for (const [index] of turns.entries()) {
    const turn = await client.ask({ origin, body, history, isStreamed });
    const next = turns[index + 1];
    if (next !== undefined) history = [...turn.history, ...client.results(turn, scriptOf(next).results ?? [])];
  }
  return [...replies];
}

describe.each(adapters)("the bundled conversations, through %s", (_name, origin) => {
  it.each(conversations)(
    "of $provider: $first is played turn by turn to clients that ask exactly as recorded",
    async (conversation) => {
      const { turns, provider } = conversation;
      expect(await play(origin(), conversation, false, "any")).toEqual(
        turns.map((cassette) => ({ cassette, match: "exact" })),
      );
      replies.length = 0;
      // A client of Gemini that streams appends the pieces as they arrived, so only the ids of the calls are the same.
      const later = provider === "gemini" ? "lineage" : "exact";
      const expected = turns.map((cassette, index) => ({ cassette, match: index === 0 ? "exact" : later }));
      expect(await play(origin(), conversation, true, "any")).toEqual(expected);
    },
  );

  it.each(conversations.filter(({ provider }) => provider !== "gemini"))(
    "$first is found by its name, and by the ids alone if the question differs",
    async (conversation) => {
      const changed = structuredClone(conversation);
      const body = objectOf(changed.request.body) as Json;
      const history = body[clients[changed.provider]?.field ?? ""] as Json[];
      Object.assign(history.at(-1) ?? {}, { content: "Something else entirely." });
      const played = await play(origin(), changed, true, `cassette:${conversation.first}`);
      expect(played.map(({ cassette }) => cassette)).toEqual(conversation.turns);
      expect(played.map(({ match }) => match)).toEqual(["name", ...conversation.turns.slice(1).map(() => "lineage")]);
    },
  );

  it("of Responses is also played to a client that names the response instead of repeating it", async () => {
    const { turns, request } = conversations.find(
      ({ provider }) => provider === "openai-responses",
    ) as (typeof conversations)[number];
    const { responses } = new OpenAI({ baseURL: `${origin()}/v1`, apiKey: "none", maxRetries: 0 });
    let body = { ...objectOf(request.body), model: "any", stream: false };
    for (const [index] of turns.entries()) {
      const { id, output } = await responses.create(body as OpenAI.Responses.ResponseCreateParamsNonStreaming);
      const outputs = scriptOf(turns[index + 1] ?? "legal/nda-review").results ?? [];
      const calls = output.flatMap((item) => (item.type === "function_call" ? [item.call_id] : []));
      const input = calls.map((call_id, number) => ({
        type: "function_call_output",
        call_id,
        output: textOf(outputs[number] as string),
      }));
      body = { ...body, previous_response_id: id, input } as typeof body;
    }
    expect(replies.map(({ cassette }) => cassette)).toEqual(turns);
  });
});
