import { beforeAll, expect, inject, it } from "vitest";
import { DeclaredOperations } from "#tests/faults/fuzz/find-problems";
import { findUndeclared } from "#tests/support/find-undeclared";

let declared: DeclaredOperations;
beforeAll(async () => {
  declared = new DeclaredOperations(await (await fetch(`${inject("baseUrl")}/openapi.json`)).json());
});

/** Returns what the declarations do not say about the answer to a request. */
const undeclared = (method: string, path: string, target: string, init: RequestInit = {}) =>
  findUndeclared(declared, { method, path, url: `${inject("baseUrl")}${target}`, init });

it("every operation with a path parameter declares the answer to an undecodable path", async () => {
  const withParameter = declared.operations.filter(({ path }) => path.includes("{"));
  expect(withParameter.length).toBeGreaterThan(10);
  for (const { method, path } of withParameter) {
    const target = path.replaceAll(/\{\w+\}/g, path.startsWith("/v1beta") ? "%ff:generateContent" : "%ff");
    expect(await undeclared(method, path, target)).toEqual({ status: 400, problems: [] });
  }
});

it.each(["application/json", "application/x-www-form-urlencoded"])(
  "the reveal of a key declares its answers to %s",
  async (type) => {
    const init = { headers: { "content-type": type }, body: "{}" };
    const path = "/api/v1/payment/reveal";
    expect(await undeclared("post", path, path, init)).toEqual({ status: 400, problems: [] });
  },
);

it("drop-in endpoints declare each form of an answer, and so does the replay of its cassette", async () => {
  const messages = [{ role: "user", content: "Hello" }];
  const ollama = { model: "cassette:small-business/unit-price-labels", messages };
  const contents = [{ role: "user", parts: [{ text: "Hello" }] }];
  const gemini = "/v1beta/models/{action}";
  const cassette = "finance/currency-exposure";
  const stream = "/v1beta/models/gemini-2.5-flash:streamGenerateContent?speed=max";
  for (const [path, target, body] of [
    ["/api/chat", "/api/chat?speed=max", ollama],
    ["/api/chat", "/api/chat?speed=max", { ...ollama, stream: false }],
    [gemini, stream, { contents }],
    [gemini, `${stream}&alt=sse`, { contents }],
    [gemini, stream.replace("streamG", "g"), { contents }],
  ] as const) {
    const init = { headers: { "x-replay-cassette": cassette }, body: JSON.stringify(body) };
    expect(await undeclared("post", path, target, init)).toEqual({ status: 200, problems: [] });
  }
  const replay = "/api/v1/replay/{vertical}/{cookbook}";
  for (const id of ["small-business/unit-price-labels", cassette])
    expect(await undeclared("get", replay, `/api/v1/replay/${id}?speed=max`)).toEqual({ status: 200, problems: [] });
});
