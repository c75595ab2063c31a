import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { parseCassette, sealCassette, serializeCassette } from "#lib/replay/cassettes/index";
import { type Json, protocols, question } from "#tests/support/conversation-protocols";
import { type Answer, errorOf } from "#tests/support/provider-double";
import { runCommand } from "#tests/support/run-cli";
import { streamAnswer } from "#tests/support/tape-conversations";
import { setUpProxy } from "#tests/support/tape-proxy";

const { chat, anthropic, gemini } = protocols;
const tapes = setUpProxy();
const key = "sk-proj-Key0000Key1111Key2222Key3333Key4444";

/** Responds with a whole answer of Chat Completions, changed. */
const chatAnswer =
  (change: (answer: Json & { choices: Json[]; usage: Json }) => void = () => undefined, headers = {}): Answer =>
  (response) => {
    const answer = chat.answerOf({ text: "Sunscreen.", calls: [] }, "a1") as Parameters<typeof change>[0];
    change(answer);
    response.writeHead(200, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(answer));
  };

const environment = () => ({
  ...{ OPENAI_API_KEY: key, ANTHROPIC_API_KEY: undefined, GEMINI_API_KEY: key },
  ...{ OPENAI_BASE_URL: `${tapes.server.origin}/v1`, GOOGLE_GEMINI_BASE_URL: tapes.server.origin },
});
const drift = (args: readonly string[] = [], changes = {}) =>
  runCommand(["drift", ...args], { cwd: tapes.folder, environment: { ...environment(), ...changes } });
const recording = (test = "packs") => join(tapes.folder, `tapes/${test}/001.cassette.json`);

/** What a command ends with, and a part of what it prints. */
const printed = (code: number, part: string) => ({ code, stdout: expect.stringContaining(part) });
const refused = (code: number, part: string) => ({ code, stderr: expect.stringContaining(part) });

async function record(answer: Answer, tests: readonly string[] = ["packs"], protocol = chat): Promise<void> {
  await tapes.serve(answer);
  await tapes.start("auto");
  for (const test of tests) await tapes.send(protocol, test, protocol.requestOf(`${question} ${test}`));
}

describe("drift, on the tape of a whole answer,", () => {
  beforeEach(() => record(chatAnswer()));

  it("finds no difference in other words, sends what was recorded with the key, and leaves the tape as it is", async () => {
    const before = await readFile(recording(), "utf8");
    await tapes.serve(chatAnswer((answer) => Object.assign(answer, { id: "chatcmpl-2", created: 1_800_000_000 })));
    expect(await drift()).toEqual({ code: 0, stdout: "1 request of 1 tape sent again: no differences.\n", stderr: "" });
    const [sent] = tapes.server.requests;
    expect(sent).toMatchObject({ method: "POST", path: "/v1/chat/completions" });
    expect(sent?.headers.authorization).toBe(`Bearer ${key}`);
    expect(JSON.parse(sent?.body ?? "")).toEqual({ ...chat.requestOf(`${question} packs`), stream: true });
    expect(await readFile(recording(), "utf8")).toBe(before);
  });

  it("names fields that are gone or of another type, and writes JSON and the text of a pull request", async () => {
    const usage = { prompt_tokens: "40", completion_tokens: 12, cached_tokens: 0 };
    const headers = { sunset: "Fri, 11 Dec 2026 00:00:00 GMT" };
    await tapes.serve(chatAnswer((answer) => Object.assign(answer, { usage }), headers));
    const file = join(tapes.folder, "drift.md");
    const { code, stdout, stderr } = await drift(["--markdown", file]);
    expect([code, stderr]).toEqual([1, "The run fails because of 2 differences (--fail-on breaking).\n"]);
    expect(stdout.split("\n")).toEqual([
      "1 request of 1 tape sent again: 2 breaking, 1 warning, 1 info.",
      "openai-chat",
      "  breaking  type chat.completion/usage/prompt_tokens was number and is string",
      "            gpt-test-1 (stream): 001.cassette.json of packs",
      "  breaking  field chat.completion/usage/total_tokens is gone",
      "            gpt-test-1 (stream): 001.cassette.json of packs",
      "  warning   header sunset says Fri, 11 Dec 2026 00:00:00 GMT",
      "            gpt-test-1 (stream): 001.cassette.json of packs",
      "  info      field chat.completion/usage/cached_tokens is new",
      "            gpt-test-1 (stream): 001.cassette.json of packs",
      "",
    ]);
    expect(await readFile(file, "utf8")).toContain(
      "| breaking | openai-chat: gpt-test-1 (stream) | field `chat.completion/usage/total_tokens` is gone | 001.cassette.json of packs |",
    );
    const { drifts, sent } = JSON.parse((await drift(["--json"])).stdout);
    expect([sent, drifts.length, drifts[0].recordings]).toEqual([1, 4, [{ test: "packs", file: "001.cassette.json" }]]);
  });

  it("a reason to stop that was another one is a warning, and fails only if it is asked to", async () => {
    await tapes.serve(
      chatAnswer(({ choices: [choice] }) => Object.assign(choice as Json, { finish_reason: "length" })),
    );
    expect(await drift()).toMatchObject(printed(0, "  warning   stop reason length was stop\n"));
    expect((await drift(["--fail-on", "warning"])).code).toBe(1);
  });

  it("an error instead of an answer is breaking, and so is an answer of no known form", async () => {
    await tapes.serve(errorOf(404, "not_found_error", "The model gpt-test-1 does not exist."));
    const gone = "breaking  status 404 was 200: 404 not_found_error: The model gpt-test-1 does not";
    expect(await drift()).toMatchObject(printed(1, gone));
    const headers = { "content-type": "application/json" };
    await tapes.serve((response) => void response.writeHead(200, headers).end('{"a":1}'));
    expect(await drift()).toMatchObject(printed(1, "breaking  form the whole answer was"));
  });

  it("a redirect is breaking, and is not followed", async () => {
    await tapes.serve((response) => void response.writeHead(307, { location: "/elsewhere" }).end());
    expect(await drift()).toMatchObject(printed(1, "breaking  status 307 was 200: 307\n"));
    expect(tapes.server.requests).toHaveLength(1);
  });

  it.each([
    ["a refused key", 401],
    ["a rate limit", 429],
    ["a failure of the provider", 503],
  ])("%s is no difference, and has an exit code of its own", async (_name, status) => {
    await tapes.serve(errorOf(status, "some_error", "Not now."));
    const { code, stdout } = await drift();
    const [, told = ""] = stdout.split(", none answered.\n");
    expect([code, told.replace(/:\d+ responded/, " responded")]).toEqual([
      3,
      `  no answer to 001.cassette.json of packs: 127.0.0.1 responded with ${status} some_error: Not now.\n`,
    ]);
  });

  it("does not send what was recorded with such an error, and names it", async () => {
    await record(errorOf(529, "overloaded_error", "Overloaded."), ["fails"]);
    await tapes.serve(chatAnswer());
    expect(await drift()).toEqual({
      code: 0,
      stdout:
        "1 request of 1 tape sent again: no differences.\n  left out: 001.cassette.json of fails, since its recorded answer is the error 529, which can have passed\n",
      stderr: "",
    });
    expect(tapes.server.requests).toHaveLength(1);
    const { left_out: leftOut } = JSON.parse((await drift(["--json"])).stdout);
    expect(leftOut).toMatchObject([{ count: 1, recordings: [{ test: "fails", file: "001.cassette.json" }] }]);
  });

  it("a provider that cannot be reached is no difference", async () => {
    const { OPENAI_BASE_URL } = environment();
    await tapes.disconnect();
    const options = { cwd: tapes.folder, environment: { OPENAI_API_KEY: key, OPENAI_BASE_URL } };
    expect(await runCommand(["drift"], options)).toMatchObject(printed(3, "refused the connection\n"));
  });
});

/** Makes the recording one of another host, or of another base URL. */
const changeRecording = async (change: (cassette: Json & { request: Json; provenance: Json }) => void) => {
  const { cassette, chunks } = parseCassette(await readFile(recording()));
  const changed = structuredClone(cassette) as never as Parameters<typeof change>[0];
  change(changed);
  const provider = chat.provider;
  const draft = { ...changed, provider, chunks } as never as Parameters<typeof sealCassette>[0];
  await writeFile(recording(), serializeCassette(sealCassette(draft)));
};

it("drift asks a host that has a key of its own with this key, at a path that the base URL has too", async () => {
  await record(chatAnswer());
  await changeRecording(({ request }) =>
    Object.assign(request, { host: "openrouter.ai", path: "/api/v1/chat/completions" }),
  );
  const baseUrl = { OPENAI_BASE_URL: "https://openrouter.ai/api/v1" };
  for (const changes of [{ OPENROUTER_API_KEY: "or-1" }, { ...baseUrl, OPENROUTER_API_KEY: "or-1" }, baseUrl]) {
    await tapes.serve(chatAnswer());
    const addresses = { "openrouter.ai": tapes.server.origin };
    await writeFile(join(tapes.folder, "tapedeck.config.json"), JSON.stringify({ addresses }));
    expect(await drift([], changes)).toMatchObject(printed(0, "1 request of 1 tape sent again: no differences.\n"));
    const [sent] = tapes.server.requests;
    const used = "OPENROUTER_API_KEY" in changes ? "or-1" : key;
    expect([sent?.path, sent?.headers.authorization]).toEqual(["/api/v1/chat/completions", `Bearer ${used}`]);
  }
  expect(await drift()).toMatchObject(refused(2, "belongs: set OPENROUTER_API_KEY, or name that server's URL"));
});

describe("drift sends no key", () => {
  it("to a host that a tape names", async () => {
    await record(chatAnswer());
    await changeRecording(({ request }) => {
      request.host = "evil.example";
    });
    const reason =
      "recorded from evil.example, to which no key of this environment belongs: name that server's URL in OPENAI_BASE_URL";
    expect(await drift()).toMatchObject(refused(2, reason));
    expect(tapes.server.requests).toHaveLength(1);
  });

  it("to a base URL that a tape names, and says which key is missing", async () => {
    await record(chatAnswer());
    expect(await drift([], { OPENAI_BASE_URL: undefined })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/recorded from 127\.0\.0\.1:\d+, to which no key of this environment belongs/),
    });
    await changeRecording(({ request }) => {
      request.host = "api.openai.com";
    });
    expect(await drift([], { OPENAI_BASE_URL: undefined, OPENAI_API_KEY: undefined })).toMatchObject({
      code: 2,
      stderr: "No request can be sent. Left out: 001.cassette.json of packs, since OPENAI_API_KEY is not set.\n",
    });
  });
});

it("drift compares the events of streams", async () => {
  const answer = anthropic.answerOf({ text: "Sunscreen.", calls: [] }, "a1");
  await record(streamAnswer(anthropic, answer), ["packs"], anthropic);
  const { events } = anthropic.provider.unfold(anthropic.answerOf({ text: "A hat.", calls: [] }, "a2"));
  const changed = events.map((event) => event.replace(',"stop_sequence":null', "").replace("ping", "pong"));
  await tapes.serve((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${changed.join("")}event: heartbeat\ndata: {"type":"heartbeat"}\n\n`);
  });
  const variables = { ANTHROPIC_BASE_URL: tapes.server.origin, ANTHROPIC_API_KEY: key };
  const { code, stdout } = await drift(["packs"], variables);
  expect(code).toBe(1);
  expect(stdout).toContain("anthropic\n");
  expect(stdout).toContain("  breaking  field message_start/message<message>/stop_sequence is gone\n");
  expect(stdout).toContain("  info      event heartbeat is new\n");
  expect(tapes.server.requests[0]?.headers).toMatchObject({ "x-api-key": key, "anthropic-version": "2023-06-01" });
});

it("drift sends the first request of each model before the second of any, up to --limit, with further headers", async () => {
  await record(chatAnswer(), ["a", "b"]);
  const other = { ...chat, requestOf: (prompt: string) => ({ ...chat.requestOf(prompt), model: "gpt-other" }) };
  await record(chatAnswer(), ["c"], other);
  await tapes.serve(chatAnswer());
  const { stdout } = await drift(["--limit", "2", "--header", "openai-beta: x"]);
  expect(stdout).toContain("2 requests of 2 tapes sent again: no differences.\n  not sent: 1 beyond --limit\n");
  expect(tapes.server.requests.map(({ body }) => JSON.parse(body).model).sort()).toEqual(["gpt-other", "gpt-test-1"]);
  expect(tapes.server.requests[0]?.headers["openai-beta"]).toBe("x");
});

describe("compare", () => {
  const compare = (args: readonly string[]) =>
    runCommand(["compare", ...args], { cwd: tapes.folder, environment: environment() });

  it("asks another model, and lists what differs with tokens and costs", async () => {
    const usage = { prompt_tokens: 1_000, completion_tokens: 100 };
    const o1 = { ...chat, requestOf: (prompt: string) => ({ ...chat.requestOf(prompt), model: "o1" }) };
    await record(
      chatAnswer((answer) => Object.assign(answer, { usage })),
      ["packs"],
      o1,
    );
    const before = await readFile(recording(), "utf8");
    const message = { role: "assistant", content: "A hat." };
    await tapes.serve(chatAnswer(({ choices: [choice] }) => Object.assign(choice as Json, { message })));
    const { code, stdout } = await compare(["packs", "--model", "house-model"]);
    expect([code, ...stdout.split("\n")]).toEqual([
      0,
      "1 answer of house-model, 0 the same, cost not known",
      "packs",
      "  001.cassette.json  o1 → house-model",
      "    old  Sunscreen.  1,000 tokens in, 100 out, $0.021",
      "    new  A hat.  40 tokens in, 12 out, price not known",
      "",
    ]);
    expect(JSON.parse(tapes.server.requests[0]?.body ?? "").model).toBe("house-model");
    expect(await readFile(recording(), "utf8")).toBe(before);
    const { answers } = JSON.parse((await compare(["packs", "--model", "house-model", "--json"])).stdout);
    expect(answers[0]).toMatchObject({
      differences: ['/text was "Sunscreen." and is now "A hat."'],
      before: { usd: 0.021 },
      after: { text: "A hat.", usd: null, status: 200 },
    });
  });

  it("puts the model into the path where that has it", async () => {
    const answer = gemini.answerOf({ text: "Sunscreen.", calls: [] }, "a1");
    await record(streamAnswer(gemini, answer), ["packs"], gemini);
    const [, recorded] = /\/models\/([^:]+):/.exec(tapes.server.requests[0]?.path ?? "") ?? [];
    await tapes.serve(streamAnswer(gemini, answer));
    // A name that begins with the recorded one.
    const compared = await compare(["packs", "--model", `${recorded}-lite`]);
    expect(compared).toMatchObject(printed(0, "    new  the same  "));
    expect(tapes.server.requests[0]?.path).toContain(`/models/${recorded}-lite:streamGenerateContent?alt=sse`);
  });

  // The first name is a part of the path too.
  it.each(["openai", "prod-chat"])("puts the model in place of the name of the deployment %s", async (name) => {
    await record(chatAnswer());
    const path = `/openai/deployments/${name}/chat/completions`;
    await changeRecording(({ request }) => {
      const { model: _model, ...json } = chat.requestOf(question) as Json;
      Object.assign(request, { path, body: { json } });
    });
    await tapes.serve(chatAnswer());
    expect(await compare(["packs", "--model", "gpt-5.6-terra"])).toMatchObject(
      printed(0, `  ${name} → gpt-5.6-terra\n`),
    );
    expect(tapes.server.requests[0]?.path).toContain("/openai/deployments/gpt-5.6-terra/chat/completions");
  });

  it("asks for one recording of a tape if that is named", async () => {
    await record(chatAnswer());
    await tapes.send(chat, "packs", chat.requestOf("And for Porto?"));
    await tapes.serve(chatAnswer());
    const second = recording().replace("001", "002");
    const compared = await compare([second, "--model", "other"]);
    expect(compared).toMatchObject(printed(0, "  002.cassette.json  gpt-test-1 → other\n"));
    expect(tapes.server.requests.map(({ body }) => JSON.parse(body).messages[0].content)).toEqual(["And for Porto?"]);
    expect(await compare([join(tapes.folder, "tapedeck.config.json"), "--model", "other"])).toMatchObject({ code: 2 });
  });

  it("fails if the model answers with an error, and if there is no such tape", async () => {
    await record(chatAnswer());
    await tapes.serve(errorOf(404, "not_found_error", "No such model."));
    const failed = await compare(["packs", "--model", "none"]);
    expect(failed).toMatchObject(printed(1, "    /status was 200 and is now 404\n"));
    expect(failed.stderr).toBe("Requests that none did not answer: 1.\n");
    expect(await compare(["nothing", "--model", "none"])).toMatchObject(refused(2, "no tape"));
  });

  it("leaves out requests of other providers than that of a known model", async () => {
    const answer = gemini.answerOf({ text: "Sunscreen.", calls: [] }, "a1");
    await record(streamAnswer(gemini, answer), ["gems"], gemini);
    await record(chatAnswer());
    await tapes.serve(chatAnswer());
    const reason = "001.cassette.json of gems, since it asks a model of google, and gpt-5.6-sol is one of openai";
    const compared = await compare(["tapes", "--model", "gpt-5.6-sol"]);
    expect(compared).toMatchObject(printed(0, `\n  left out: ${reason}\n`));
    expect(tapes.server.requests.map(({ path }) => path)).toEqual(["/v1/chat/completions"]);
    expect(await compare(["gems", "--model", "gpt-5.6-sol"])).toEqual({
      code: 2,
      stdout: "",
      stderr: `No request can be sent. Left out: ${reason}.\n`,
    });
    expect(tapes.server.requests).toHaveLength(1);
    // As a gateway names it, and one that the catalogue lists on Vertex alone.
    for (const model of ["openai/gpt-5.6-sol", "gemini-3.7-flash"]) await compare(["gems", "--model", model]);
    expect(tapes.server.requests).toHaveLength(3);
  });
});
