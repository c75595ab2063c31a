import { describe, expect, it, vi } from "vitest";
import { gemini } from "#lib/replay/providers/gemini";
import { anthropic, http, type Provider } from "#lib/replay/providers/index";
import { openaiChat } from "#lib/replay/providers/openai-chat";
import { openaiResponses } from "#lib/replay/providers/openai-responses";
import { matchRequest } from "#lib/replay/recording-proxy/match-request";
import { matchKey, type TapeRequest } from "#lib/replay/recording-proxy/tape-request";
import { isSameMessage, messageKey } from "#lib/replay/recording-proxy/web-sockets/messages";

const volatile: string[] = [];
const options = { volatile, isExact: false };
const requestOf = (json: object): TapeRequest => ({
  method: "POST",
  path: "/v1/any",
  query: "",
  body: { json: json as Record<string, never> },
});
const exchangeOf = (provider: Provider, json: object) => {
  const request = requestOf(json);
  return { provider, request, key: matchKey(provider, request, volatile), isPlayed: false, isError: false };
};

const anthropicResult = (result: object) => ({ messages: [{ role: "user", content: [result] }] });
const clientResult = (content: unknown, flag = {}) =>
  anthropicResult({ type: "tool_result", tool_use_id: "toolu_1", content, ...flag });
const serverResult = (content: unknown) =>
  anthropicResult({ type: "code_execution_tool_result", tool_use_id: "srvtoolu_1", content });
const geminiResult = (response: unknown) => ({
  contents: [{ role: "user", parts: [{ functionResponse: { name: "f", response } }] }],
});
const shellResult = (stdout: string, outcome: object) => ({
  input: [{ type: "shell_call_output", call_id: "call_1", output: [{ stdout, stderr: "", outcome }] }],
});

describe.each<[string, Provider, recorded: object, other: object, failed: object]>([
  ["Anthropic", anthropic, clientResult("rain"), clientResult("ERROR"), clientResult("ERROR", { is_error: true })],
  [
    "Anthropic's servers",
    anthropic,
    serverResult({ type: "code_execution_result", stdout: "1", return_code: 0 }),
    serverResult({ type: "code_execution_result", stdout: "2", return_code: 0 }),
    serverResult({ type: "code_execution_result", stdout: "2", return_code: 1 }),
  ],
  [
    "a search of Anthropic's",
    anthropic,
    serverResult([{ type: "web_search_result", title: "One" }]),
    serverResult([{ type: "web_search_result", title: "Two" }]),
    serverResult({ type: "web_search_tool_result_error", error_code: "unavailable" }),
  ],
  [
    "Gemini",
    gemini,
    geminiResult({ output: "rain" }),
    geminiResult({ output: "sun", error: null }),
    geminiResult({ error: "sun" }),
  ],
  [
    "a shell of Responses",
    openaiResponses,
    shellResult("1", { type: "exit", exit_code: 0 }),
    shellResult("2", { type: "exit", exit_code: 0 }),
    shellResult("1", { type: "timeout" }),
  ],
])("what tools of %s returned", (_name, provider, recorded, other, failed) => {
  const find = (tape: object, asked: object) =>
    matchRequest([exchangeOf(provider, tape)], provider, requestOf(asked), options);

  it("may differ", () => {
    expect(find(recorded, other)).toMatchObject({ kind: "match", isInResults: true });
    expect(find(other, recorded)).toMatchObject({ kind: "match", isInResults: true });
  });

  it("is neither a failure in place of a success, nor the other way round", () => {
    expect(find(recorded, failed).kind).toBe("miss");
    expect(find(failed, recorded).kind).toBe("miss");
  });
});

it("over a WebSocket, a failed tool does not count as one that succeeded", () => {
  const keyOf = (stdout: string, exit_code: number) => {
    const json = { type: "response.create", ...shellResult(stdout, { type: "exit", exit_code }) };
    return messageKey({ json }, { volatile, volatileText: [] }, false);
  };
  expect(keyOf("1", 0)).toBe(keyOf("2", 0));
  expect(keyOf("1", 0)).not.toBe(keyOf("1", 1));
});

it("over a WebSocket, a message with another time is a recorded one only if the time moved as the clock did", () => {
  const messageOf = (time: string, sentAt: string) => ({ message: { json: { text: `It is ${time}.` } }, sentAt });
  const isSame = (time: string, sentAt: string) =>
    isSameMessage(
      messageOf("2026-11-28T10:00:00Z", "2026-11-28T10:00:01+00:00"),
      messageOf(time, sentAt),
      { volatile, volatileText: [] },
      true,
    );
  expect(isSame("2026-12-01T12:00:00Z", "2026-12-01T12:00:02+00:00")).toBe(true);
  expect(isSame("2026-12-01T12:00:00Z", "2026-12-03T12:00:02+00:00")).toBe(false);
});

it("a recording of another folder is played, but not over plain HTTP, whose answers cannot be moved", () => {
  const find = (provider: Provider) => {
    const [recorded, asked] = ["/srv/a", "/srv/b"].map((folder) => ({
      ...requestOf({ cwd: folder }),
      place: { folder },
    }));
    const exchange = { ...exchangeOf(provider, {}), request: recorded as TapeRequest, key: "" };
    return matchRequest([exchange], provider, asked as TapeRequest, options);
  };
  expect(find(anthropic).kind).toBe("match");
  const miss = find(http);
  expect(miss.kind === "miss" && miss.findNearest()?.differences).toEqual([
    { pointer: "/cwd", before: "/srv/a", after: "/srv/b" },
  ]);
});

it("a recording that does not know its folder is played in that folder on another day", () => {
  const textOf = (day: string) => requestOf({ cwd: "/srv/a", today: day });
  const request: TapeRequest = { ...textOf("2026-11-07"), place: { day: "2026-11-07" } };
  const find = (folder: string) =>
    matchRequest([{ ...exchangeOf(anthropic, {}), request, key: "" }], anthropic, askedIn(folder), options).kind;
  const askedIn = (folder: string): TapeRequest => ({
    ...requestOf({ cwd: folder, today: "2026-12-01" }),
    place: { folder, home: "/srv", day: "2026-12-01" },
  });
  expect(find("/srv/a")).toBe("match");
  expect(find("/srv/b")).toBe("miss");
});

it("what Codex says of its turn is not compared, over HTTP and over a WebSocket", () => {
  const turn = (commit: string) => ({
    type: "response.create",
    input: "hi",
    client_metadata: { "x-codex-turn-metadata": JSON.stringify({ latest_git_commit_hash: commit }) },
  });
  const [before, after] = [turn("1"), turn("2")];
  expect(matchRequest([exchangeOf(openaiResponses, before)], openaiResponses, requestOf(after), options)).toMatchObject(
    { kind: "match", differences: [] },
  );
  const keyOf = (json: object) => messageKey({ json }, { volatile, volatileText: [] }, true);
  expect(keyOf(before)).toBe(keyOf(after));
  expect(keyOf(before)).not.toBe(keyOf({ ...after, input: "ho" }));
});

it("recordings are prepared for comparisons once, however many requests differ from them", () => {
  const toolResults = vi.fn(openaiChat.toolResults);
  const provider = { ...openaiChat, toolResults };
  const bodyOf = (result: string, count: number) => ({
    messages: Array.from({ length: count }, (_, index) => ({
      role: "tool",
      tool_call_id: `${index}`,
      content: result,
    })),
  });
  const exchanges = Array.from({ length: 50 }, (_, index) => exchangeOf(provider, bodyOf("rain", index + 1)));
  const callsOf = (count: number) => {
    toolResults.mockClear();
    expect(matchRequest(exchanges, provider, requestOf(bodyOf("sun", count)), options).kind).toBe("match");
    return toolResults.mock.calls.length;
  };
  expect(callsOf(1)).toBeGreaterThan(50);
  expect(callsOf(2)).toBeLessThan(20);
});
