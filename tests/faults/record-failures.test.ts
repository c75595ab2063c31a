import { describe, expect, test } from "vitest";
import { type Answer, cutAfter, errorOf, messageEvents, sseOf, streamOf } from "#tests/support/provider-double";
import { setUpRecorder } from "#tests/support/recorder";

const events = messageEvents(["Hel", "lo ", "there, ", "naïve 🙂 reader."]);
const body = sseOf(...events);
const half = sseOf(...events.slice(0, 4));
const recorder = setUpRecorder();

const joined = (chunks: readonly { bytes: Uint8Array }[]) => Buffer.concat(chunks.map(({ bytes }) => bytes));

describe("what goes wrong is told, and nothing is written", () => {
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
    ["a provider's failure", errorOf(500, "api_error", "Internal"), /500 \(api_error: Internal\).*Try again later/],
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
    ["a cut connection", cutAfter(half), /closed the connection before the response was complete/],
    ["a connection cut before the answer", (response) => void response.destroy(), /closed the connection/],
    ["a stream that just ends", streamOf(half), /ended the stream without message_stop, after 4 events/],
    [
      "an answer that is no stream",
      (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>hi"),
      /text\/html instead of an event stream/,
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

  test("a provider's words cannot steer the terminal", async () => {
    const answer = errorOf(400, "invalid_request_error", "a\u001b[2Jb\nc");
    await expect(recorder.from(answer)).rejects.toThrow(/invalid_request_error: a \[2Jb c\)/);
  });

  test.each([
    ["http://127.0.0.1:1", /refused the connection/],
    ["http://no-such-host.invalid", /was not found \(DNS\)/],
    ["ftp://127.0.0.1", /not an http\(s\) URL/],
    ["nonsense", /not an http\(s\) URL/],
  ])("a provider that is not there: %s", async (baseUrl, message) => {
    await expect(recorder.at(baseUrl)).rejects.toThrow(message);
    expect(await recorder.files()).toEqual([]);
  });

  test("a secure connection that is none", async () => {
    await recorder.from(streamOf(body));
    await expect(
      recorder.at(recorder.provider.origin.replace("http:", "https:"), { id: "legal/b" }),
    ).rejects.toMatchObject({ name: "RecordError" });
  });
});

describe("with allowError what came is kept", () => {
  const overloaded = sseOf({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });

  test.each<[string, Answer, { status: number; end: string }]>([
    ["an error response", errorOf(529, "overloaded_error", "Overloaded"), { status: 529, end: "error" }],
    ["an error event", streamOf(Buffer.concat([half, overloaded])), { status: 200, end: "error" }],
    ["a cut stream", cutAfter(half), { status: 200, end: "truncated" }],
    ["a stream that just ends", streamOf(half), { status: 200, end: "truncated" }],
  ])("%s", async (_name, answer, { status, end }) => {
    await recorder.from(answer, { allowError: true });
    const { cassette, chunks } = await recorder.cassette();
    expect({ status: cassette.response.status, end: cassette.end }).toEqual({ status, end });
    expect(joined(chunks).length).toBeGreaterThan(0);
  });

  test("a stream that is cut behind message_stop is whole", async () => {
    await recorder.from(cutAfter(body));
    expect((await recorder.cassette()).cassette.end).toBe("complete");
  });

  test("a 429 keeps how long to wait", async () => {
    await recorder.from(errorOf(429, "rate_limit_error", "Slow", { "retry-after": "7" }), { allowError: true });
    expect((await recorder.cassette()).cassette.response.headers).toMatchObject({
      "retry-after": "7",
      "request-id": "req_error",
    });
  });
});
