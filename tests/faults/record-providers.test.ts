import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { parseCassette, readRecordedAnswer } from "#lib/replay/cassettes/index";
import { exampleOf, protocols, question } from "#tests/support/conversation-protocols";
import { type Answer, type ProviderDouble, startProvider, streamOf } from "#tests/support/provider-double";
import { runCommand } from "#tests/support/run-cli";
import { temporaryFolder } from "#tests/support/temporary-folder";

const key = "test-key-0123456789abcdef";
const environment = {
  ANTHROPIC_API_KEY: key,
  OPENAI_API_KEY: key,
  GEMINI_API_KEY: key,
  ANTHROPIC_BASE_URL: undefined,
  OPENAI_BASE_URL: undefined,
  GOOGLE_GEMINI_BASE_URL: undefined,
  OLLAMA_HOST: undefined,
};

/** What each provider is sent for a prompt, a system prompt and a maximum of tokens. */
const expected = {
  anthropic: {
    path: "/v1/messages",
    credentials: { "x-api-key": key, "anthropic-version": "2023-06-01" },
    body: {
      model: "m-1",
      max_tokens: 99,
      system: "Be brief.",
      messages: [{ role: "user", content: question }],
      stream: true,
    },
  },
  chat: {
    path: "/v1/chat/completions",
    credentials: { authorization: `Bearer ${key}` },
    body: {
      model: "m-1",
      max_completion_tokens: 99,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: question },
      ],
      stream: true,
      stream_options: { include_usage: true },
    },
  },
  responses: {
    path: "/v1/responses",
    credentials: { authorization: `Bearer ${key}` },
    body: { model: "m-1", max_output_tokens: 99, instructions: "Be brief.", input: question, stream: true },
  },
  gemini: {
    path: "/v1beta/models/m-1:streamGenerateContent?alt=sse",
    credentials: { "x-goog-api-key": key },
    body: {
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [{ role: "user", parts: [{ text: question }] }],
      generationConfig: { maxOutputTokens: 99 },
    },
  },
  ollama: {
    path: "/api/chat",
    credentials: {},
    body: {
      model: "m-1",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: question },
      ],
      options: { num_predict: 99 },
      stream: true,
    },
  },
} as const;
const names = Object.keys(expected) as (keyof typeof expected)[];

let folder: string;
let server: ProviderDouble;

beforeEach(async () => {
  folder = temporaryFolder();
});

function record(name: keyof typeof expected, ...added: string[]) {
  const { provider } = protocols[name];
  const args = ["record", "travel/lisbon", "--provider", provider.name, "--base-url", server.origin, "--out", folder];
  return runCommand([...args, ...added], { environment });
}

const readCassette = async () => parseCassette(await readFile(join(folder, "travel/lisbon.json")));
const prompted = ["--model", "m-1", "--prompt", question, "--system", "Be brief.", "--max-tokens", "99"];

describe.each(names)("%s", (name) => {
  it("records a stream byte for byte, and plays it in the terminal", async () => {
    const { stream, contentType, headers } = exampleOf(name);
    const bytes = Buffer.from(stream);
    server = await startProvider(
      streamOf(bytes, { chunkBytes: 50, headers: { "content-type": contentType, ...headers } }),
    );
    const { code, stdout, stderr } = await record(name, ...prompted);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/first token after \d+ ms/) });
    expect(stdout).toMatch(/^Let me look – \n\[tool get_forecast\]\n\{"city":"Lisbon"\}\n/);

    const { path, credentials, body } = expected[name];
    const [sent] = server.requests;
    expect(sent).toMatchObject({
      method: "POST",
      path,
      headers: { accept: contentType.split(";")[0], "accept-encoding": "identity" },
    });
    expect(sent?.headers).toMatchObject(credentials);
    expect(JSON.parse(sent?.body ?? "")).toEqual(body);

    const { cassette, chunks } = await readCassette();
    expect(Buffer.concat(chunks.map((chunk) => chunk.bytes)).equals(bytes)).toBe(true);
    expect(cassette).toMatchObject({ provider: protocols[name].provider.name, end: "complete" });
    expect(cassette.request).toMatchObject({
      path: path.split("?")[0],
      query: path.split("?")[1] ?? "",
      body: { json: body },
    });
    expect(cassette.response.headers).toEqual({ "content-type": contentType, ...headers });

    const played = await runCommand(["cassettes", "play", join(folder, "travel/lisbon.json"), "--speed", "max"]);
    expect(played).toEqual({ code: 0, stdout, stderr: "" });
  });

  it("records the whole answer of a request that asks for no stream", async () => {
    const { provider, body } = exampleOf(name);
    const text = JSON.stringify(body);
    server = await startProvider(jsonOf(200, text));
    const { code, stdout } = await record(name, "--model", "m-1", "--prompt", question, "--no-stream");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Let me look – \n\[tool get_forecast\]\n/);
    expect(provider.formOf({ method: "POST", ...sentPlace(), body: JSON.parse(server.requests[0]?.body ?? "") })).toBe(
      "whole",
    );
    const { cassette, chunks } = await readCassette();
    expect(Buffer.concat(chunks.map(({ bytes }) => bytes)).toString()).toBe(text);
    expect(cassette.end).toBe("complete");
    const played = await runCommand(["cassettes", "play", join(folder, "travel/lisbon.json"), "--speed", "max"]);
    expect(played.stdout).toBe(stdout);
  });

  it("reports an error of the provider, and keeps it on request", async () => {
    const { provider } = exampleOf(name);
    const error = provider.errorBody({ status: 429, message: "Too many requests.", requestId: "req_1" });
    server = await startProvider(jsonOf(429, JSON.stringify(error), { "retry-after": "7" }));
    const refused = await record(name, ...prompted);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/responded with 429 \(.*Too many requests\.\).*Try again after 7 s/);
    expect((await record(name, ...prompted, "--allow-error")).code).toBe(0);
    const { cassette, chunks } = await readCassette();
    expect(cassette).toMatchObject({ end: "error", response: { status: 429 } });
    expect(readRecordedAnswer(provider, { headers: cassette.response.headers, chunks }).error).toEqual(error);
  });

  it("removes a secret that is divided between events", async () => {
    const secret = "sk-ant-api03-Key0000Key1111Key2222Key3333Key4444Key5555-AA";
    const { provider, answerOf: toAnswer } = protocols[name];
    const texts = [...secret].map((text) => provider.unfold(toAnswer({ text, calls: [] }, "x")).events.join(""));
    const { contentType } = provider.stream;
    server = await startProvider(streamOf(Buffer.from(texts.join("")), { headers: { "content-type": contentType } }));
    await record(name, ...prompted, "--allow-error");
    const { cassette, chunks } = await readCassette();
    const [first, ...others] = cassette.request.redactions;
    expect(first).toMatchObject({ rule: "anthropic-key", byte_length: secret.length });
    // Responses repeats a text where it ends.
    expect(others).toHaveLength(name === "responses" ? 2 : 0);
    const body = Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();
    expect(body.match(/"(?:text|content|delta)":"\*"/g)).toHaveLength(secret.length * (others.length + 1));
  });
});

function sentPlace() {
  const [path = "", query = ""] = server.requests[0]?.path.split("?") ?? [];
  return { path, query };
}

function jsonOf(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(body);
  };
}

describe("a request file", () => {
  const request = { model: "m-2", stream: false, messages: [{ role: "user", content: "Hi" }], seed: 7 };

  it("is sent as it stands, with further headers, whose secrets are removed", async () => {
    const { body } = exampleOf("chat");
    const secret = "another-secret-987654321";
    server = await startProvider(jsonOf(200, JSON.stringify({ ...body, service_tier: secret })));
    const file = join(folder, "request.json");
    await writeFile(file, JSON.stringify(request));
    const headers = [
      "--header",
      `X-Gateway-Token: ${secret}`,
      "--header",
      "x-note: a:b",
      "--beta",
      "one",
      "--beta",
      "two",
    ];
    expect(await record("chat", "--request", file, ...headers)).toMatchObject({ code: 0 });
    expect(JSON.parse(server.requests[0]?.body ?? "")).toEqual(request);
    expect(server.requests[0]?.headers).toMatchObject({
      "x-gateway-token": secret,
      "x-note": "a:b",
      "openai-beta": "one,two",
      accept: "application/json",
    });
    expect(await readFile(join(folder, "travel/lisbon.json"), "utf8")).not.toContain(secret);
  });

  it.each([
    [["--provider", "gemini", "--beta", "x", "--prompt", "Hi", "--model", "m"], /Gemini has no beta features/],
    [["--provider", "nobody", "--prompt", "Hi", "--model", "m"], /Allowed choices are anthropic, openai-chat/],
    [["--header", "no colon", "--prompt", "Hi", "--model", "m"], /--header .* must be a name and a value/],
    [["--provider", "openai-responses", "--model", "m"], /give --prompt, --prompt-file, or --request with input/],
    [["--provider", "gemini", "--prompt", "Hi"], /there is no model/],
  ])("wrong usage: %j", async (args, message) => {
    server = await startProvider(jsonOf(500, "{}"));
    const { code, stderr } = await runCommand(["record", "travel/lisbon", "--out", folder, ...args], { environment });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
    expect(server.requests).toEqual([]);
  });
});

it("a base URL may end with the version, and a variable of the SDKs names it", async () => {
  const { stream, contentType } = exampleOf("chat");
  server = await startProvider(streamOf(Buffer.from(stream), { headers: { "content-type": contentType } }));
  const { code } = await runCommand(
    ["record", "travel/lisbon", "--out", folder, "--provider", "openai-chat", "--model", "m", "--prompt", "Hi"],
    { environment: { ...environment, OPENAI_BASE_URL: `${server.origin}/gateway/v1/` } },
  );
  expect(code).toBe(0);
  expect(server.requests.map(({ path }) => path)).toEqual(["/gateway/v1/chat/completions"]);
});
