import { describe, expect, test } from "vitest";
import { type Answer, cutAfter, errorOf, messageEvents, sseOf, streamOf } from "#tests/support/provider-double";
import { setUpRecorder } from "#tests/support/recorder";

const events = messageEvents(["Hel", "lo ", "there, ", "naïve 🙂 reader."]);
const body = sseOf(...events);
const half = sseOf(...events.slice(0, 4));
const recorder = setUpRecorder();

const joined = (chunks: readonly { bytes: Uint8Array }[]) => Buffer.concat(chunks.map(({ bytes }) => bytes));

describe("a failure is reported, and nothing is written", () => {
  const failures: [string, Answer, RegExp][] = [
    [
      "a refused key",
      errorOf(401, "authentication_error", "invalid x-api-key"),
      /401 \(authentication_error: invalid x-api-key\).*Check ANTHROPIC_API_KEY/,
    ],
    [
      "a rate limit",
      errorOf(429, "rate_limit_error", "Slow down", { "retry-after": "30" }),
      /429 \(rate_limit_error: Slow down\).*after 30 s/,
    ],
    [
      "an overload",
      errorOf(529, "overloaded_error", "Overloaded"),
      /529 \(overloaded_error: Overloaded\).*overloaded. Try again later/,
    ],
    ["an error of the provider", errorOf(500, "api_error", "Internal"), /500 \(api_error: Internal\).*Try again later/],
    [
      "a bad request",
      errorOf(400, "invalid_request_error", "max_tokens: too many"),
      /400 .*max_tokens: too many.*Change the request/,
    ],
    ["a wrong path", errorOf(404, "not_found_error", "Not found"), /404 .*--base-url.*\/v1\/messages/],
    [
      "an error event",
      streamOf(
        Buffer.concat([half, sseOf({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } })]),
      ),
      /ended the stream with overloaded_error: Overloaded \(after 4 events\)/,
    ],
    ["a closed connection", cutAfter(half), /closed the connection before the response was complete/],
    ["a connection closed without a response", (response) => void response.destroy(), /closed the connection/],
    [
      "a stream without its last event",
      streamOf(half),
      /ended the response before the answer was complete, after 4 events/,
    ],
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
  ];

  test.each(failures)("%s", async (_name, answer, message) => {
    await expect(recorder.from(answer)).rejects.toMatchObject({
      name: "RecordError",
      message: expect.stringMatching(message),
    });
    expect(await recorder.files()).toEqual([]);
  });

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
  const overloaded = sseOf({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });

  test.each<[string, Answer, { status: number; end: string }]>([
    ["an error response", errorOf(529, "overloaded_error", "Overloaded"), { status: 529, end: "error" }],
    ["an error event", streamOf(Buffer.concat([half, overloaded])), { status: 200, end: "error" }],
    ["a closed connection", cutAfter(half), { status: 200, end: "truncated" }],
    ["a stream without its last event", streamOf(half), { status: 200, end: "truncated" }],
  ])("%s", async (_name, answer, { status, end }) => {
    await recorder.from(answer, { allowError: true });
    const { cassette, chunks } = await recorder.cassette();
    expect({ status: cassette.response.status, end: cassette.end }).toEqual({ status, end });
    expect(joined(chunks).length).toBeGreaterThan(0);
  });

  test("a connection closed after message_stop is a complete recording", async () => {
    await recorder.from(cutAfter(body));
    expect((await recorder.cassette()).cassette.end).toBe("complete");
  });
});
