import { expect, it } from "vitest";
import type { SeenRequest } from "#lib/replay/recording-proxy/seen-request";
import { startTape } from "#lib/testing/index";
import { protocols } from "#tests/support/conversation-protocols";
import { control, streamAnswer } from "#tests/support/tape-conversations";
import { setUpProxy } from "#tests/support/tape-proxy";

const tapes = setUpProxy();
const test = "gateway.test.ts > falls back";
const protocol = protocols.chat;
const answer = streamAnswer(protocol, protocol.answerOf({ text: "Sunscreen.", calls: [] }, "a1"));
const headers = { "content-type": "application/json", "X-Route": "eu", authorization: "Bearer none", cookie: "id=1" };
const body = JSON.stringify({ model: "m-1", messages: [{ role: "user", content: "Pack?" }] });
const send = (signal?: AbortSignal) =>
  fetch(`${tapes.proxy.baseUrl(test, "openai")}/chat/completions`, { method: "POST", headers, body, signal });
const seen = async () =>
  (await control(tapes.proxy.urlOf(test), tapes.proxy.token, "requests")) as unknown as SeenRequest[];

it("a test sees the host, headers and status of its requests, without credentials and cookies", async () => {
  await tapes.serve(answer);
  await tapes.start("auto");
  await tapes.proxy.begin(test, { faults: [{ call: 1, status: 529 }] });
  for (const status of [529, 200]) {
    const response = await send();
    expect(response.status).toBe(status);
    await response.text();
  }
  const requests = await seen();
  expect(requests).toMatchObject(
    [529, 200].map((status) => ({ status, aborted: false, path: "/v1/chat/completions" })),
  );
  expect(requests[1]).toMatchObject({ host: new URL(tapes.server.origin).host, headers: { "x-route": "eu" } });
  expect(JSON.stringify(requests.map((each) => each.headers))).not.toMatch(/authorization|cookie/);
});

it("a request whose client left before the end of the answer is aborted, and one that a fault cut is not", async () => {
  await tapes.serve(answer, answer);
  await tapes.start("auto");
  for (const faults of [[], [{ call: 1, afterEvent: 1 }]]) {
    await tapes.proxy.begin(test, { faults });
    await (await send()).text().catch(() => undefined);
    await expect.poll(seen).toMatchObject([{ status: 200, aborted: false }]);
  }
  await tapes.proxy.begin(test, { faults: [{ call: 1, stallMs: 60_000 }] });
  const leaving = new AbortController();
  expect((await send(leaving.signal)).status).toBe(200);
  expect(await seen()).toMatchObject([{ status: 200, aborted: false }]);
  leaving.abort();
  await expect.poll(seen).toMatchObject([{ status: 200, aborted: true }]);
  await tapes.proxy.begin(test, { faults: [{ call: 1, firstByteMs: 1_000 }] });
  const early = new AbortController();
  const gone = send(early.signal).catch(() => "gone");
  await expect.poll(seen).toMatchObject([{ status: null, aborted: false }]);
  early.abort();
  expect(await gone).toBe("gone");
  await expect.poll(seen).toMatchObject([{ status: null, aborted: true }]);
});

it("a fault with a host counts the calls to that host alone", async () => {
  await tapes.serve(answer, answer);
  await tapes.start("auto");
  await tapes.proxy.begin(test, {
    faults: [
      { host: "api.groq.com", call: 1, status: 500 },
      { host: "local*", call: 2, status: 529 },
    ],
  });
  for (const status of [200, 529]) expect((await send()).status).toBe(status);
  const report = await tapes.proxy.end(test);
  expect(report?.notes).toEqual(["Fault 1 was not used; number of calls to api.groq.com: 0."]);
  const wrong = await control(tapes.proxy.urlOf(test), tapes.proxy.token, "begin", {
    faults: [{ host: "https://api.groq.com", call: 1, status: 500 }],
  });
  expect(JSON.stringify(wrong)).toContain("must be a host such as api.example.com");
});

it("the base URL of an upstream that is not known is an error that names those that are", async () => {
  const tape = await startTape("gateway.test.ts > asks an upstream");
  expect(tape.baseUrl("openai")).toBe(tape.openai);
  expect(() => tape.baseUrl("nope")).toThrow(
    'There is no upstream "nope". Known are anthropic, openai, gemini, ollama.',
  );
});
