import { describe, expect, test } from "vitest";
import { recordLimits } from "#lib/replay/cassettes/recorder/index";
import {
  type Answer,
  cutAfter,
  endlessly,
  errorOf,
  messageEvents,
  silence,
  sseOf,
  stallAfter,
  streamOf,
} from "#tests/support/provider-double";
import { setUpRecorder } from "#tests/support/recorder";

const events = messageEvents(["Hel", "lo ", "there, ", "naïve 🙂 reader."]);
const body = sseOf(...events);
const half = sseOf(...events.slice(0, 4));
const overloaded = sseOf({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
const withError = streamOf(Buffer.concat([half, overloaded]));
const recorder = setUpRecorder();

describe("a failure is reported, and nothing is written", () => {
  const expectFailure = async (answer: Answer, message: RegExp) => {
    const error = { name: "RecordError", message: expect.stringMatching(message) };
    await expect(recorder.from(answer)).rejects.toMatchObject(error);
    expect(await recorder.files()).toEqual([]);
  };

  test.each([
    [401, "authentication_error", /401 \(authentication_error: No\.\).*Check ANTHROPIC_API_KEY/],
    [429, "rate_limit_error", /429 \(rate_limit_error: No\.\).*after 30 s/],
    [529, "overloaded_error", /529 \(overloaded_error: No\.\).*overloaded\. Try again after/],
    [500, "api_error", /500 \(api_error: No\.\).*failed\. Try again after/],
    [400, "invalid_request_error", /400 .*No\..*Change the request/],
    [404, "not_found_error", /404 .*--base-url.*\/v1\/messages/],
  ])("an answer with the status %i", (status, type, message) =>
    expectFailure(errorOf(status, type, "No.", { "retry-after": "30" }), message),
  );

  test.each<[string, Answer, RegExp]>([
    ["an error event", withError, /ended the stream with overloaded_error: Overloaded \(after 4 events\)/],
    ["a closed connection", cutAfter(half), /closed the connection before the response was complete/],
    ["a connection closed without a response", (response) => void response.destroy(), /closed the connection/],
    ["a stream without its last event", streamOf(half), /ended .* before the answer was complete, after 4 events/],
    [
      "a response that is not a stream",
      (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>hi"),
      /text\/html, but not with an answer of Anthropic Messages/,
    ],
    [
      "a redirect",
      (response) => void response.writeHead(302, { location: "https://elsewhere.example" }).end(),
      /redirects to https:\/\/elsewhere.example/,
    ],
  ])("%s", (_name, answer, message) => expectFailure(answer, message));

  test("control characters in a provider's message are removed", async () => {
    const answer = errorOf(400, "invalid_request_error", "a\u001b[2Jb\nc");
    await expect(recorder.from(answer)).rejects.toThrow(/invalid_request_error: a \[2Jb c\)/);
  });

  test.each([
    ["http://127.0.0.1:1", /refused the connection/],
    ["http://no-such-host.invalid", /was not found \(DNS\)/],
    ["ftp://127.0.0.1", /not an http\(s\) URL/],
    ["nonsense", /not an http\(s\) URL/],
  ])("an unreachable provider: %s", async (baseUrl, message) => {
    await expect(recorder.at(baseUrl)).rejects.toThrow(message);
    expect(await recorder.files()).toEqual([]);
  });

  test("an https URL of a server without TLS", async () => {
    await recorder.from(streamOf(body));
    await expect(
      recorder.at(recorder.provider.origin.replace("http:", "https:"), { id: "legal/b" }),
    ).rejects.toMatchObject({ name: "RecordError" });
  });
});

describe("with allowError the received part is stored", () => {
  test.each<[string, Answer, { status: number; end: string }]>([
    ["an error response", errorOf(529, "overloaded_error", "Overloaded"), { status: 529, end: "error" }],
    ["an error event", withError, { status: 200, end: "error" }],
    ["a closed connection", cutAfter(half), { status: 200, end: "truncated" }],
    ["a stream without its last event", streamOf(half), { status: 200, end: "truncated" }],
  ])("%s", async (_name, answer, { status, end }) => {
    await recorder.from(answer, { allowError: true });
    const { cassette, body } = await recorder.cassette();
    expect({ status: cassette.response.status, end: cassette.end }).toEqual({ status, end });
    expect(body.length).toBeGreaterThan(0);
  });

  test("a connection closed after message_stop is a complete recording", async () => {
    await recorder.from(cutAfter(body));
    expect((await recorder.cassette()).cassette.end).toBe("complete");
  });
});

describe("waits and sizes are limited", () => {
  test.each<[string, Answer, Partial<typeof recordLimits>, RegExp]>([
    ["headers that never arrive", silence, { headersTimeoutMs: 300 }, /did not start to respond within 0\.3 s/],
    ["a stream that stalls", stallAfter(half), { idleTimeoutMs: 300 }, /stopped sending in the middle .* for 0\.3 s/],
    ["an endless body", endlessly(Buffer.alloc(60_000)), { maxBodyByteSize: 1_000_000 }, /larger than 1000000 bytes/],
    ["endless pieces", endlessly(Buffer.from(": ping\n\n")), { maxChunkCount: 50 }, /more than 50 chunks/],
    ["a slow response", streamOf(body, { chunkBytes: 1, delayMs: 20 }), { totalTimeoutMs: 500 }, /took longer than/],
  ])("%s", async (_name, answer, change, message) => {
    await expect(recorder.from(answer, { context: { limits: { ...recordLimits, ...change } } })).rejects.toThrow(
      message,
    );
    expect(await recorder.files()).toEqual([]);
  });
});
