import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Cassette } from "#lib/replay/cassettes/format";
import { joinParent, objectOf } from "#lib/replay/cassettes/request";
import { requireProvider } from "#lib/replay/providers/index";
import { adapters } from "#tests/support/adapters";
import { bundledFolder, bundledIds } from "#tests/support/bundled-cassettes";

type Json = Record<string, unknown>;

const cassetteOf = (id: string): Cassette => JSON.parse(readFileSync(join(bundledFolder, `${id}.json`), "utf8"));

/** Returns the complete request of a cassette, with what the turns before it have. */
function requestOf(id: string): Json {
  const { request } = cassetteOf(id);
  const body = request.parent ? joinParent(request, requestOf(request.parent.id)) : objectOf(request.body);
  if (!body) throw new Error(`${id} has no complete request.`);
  return body;
}

const later = bundledIds.map(cassetteOf).filter(({ request }) => request.parent !== undefined);
const protocols = [...new Set(later.map(({ provider }) => provider))];

it("conversations of two turns and more are bundled for each protocol with tools", () => {
  expect(protocols.sort()).toEqual(["anthropic", "gemini", "openai-chat", "openai-responses"]);
});

describe.each(adapters)("the bundled conversations, through %s", (_name, origin) => {
  const ask = async ({ path, query }: Cassette["request"], body: Json, headers = {}) => {
    const response = await fetch(`${origin()}${path}?${query}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-replay-speed": "max", ...headers },
      body: JSON.stringify(body),
    });
    await response.text();
    return ["x-replay-cassette", "x-replay-match"].map((name) => response.headers.get(name));
  };

  it.each(later)("of $provider: $id is played to the request that it was recorded for", async ({ id, request }) => {
    const parent = request.parent?.id ?? "";
    expect(await ask(cassetteOf(parent).request, requestOf(parent))).toEqual([parent, "exact"]);
    expect(await ask(request, requestOf(id))).toEqual([id, "exact"]);
  });

  it.each(protocols)("of %s are found by their name, and by their ids alone if the question differs", async (name) => {
    const { id, provider, request } = later.find((cassette) => cassette.provider === name) as Cassette;
    const parent = request.parent?.id ?? "";
    const field = requireProvider(provider).historyField.slice(1);
    const at = (requestOf(parent)[field] as Json[]).length - 1;
    const changed = (from: string) => {
      const body = requestOf(from);
      const question = "Something else entirely.";
      const history = body[field] as Json[];
      const { parts, ...rest } = history[at] ?? {};
      history[at] = parts ? { ...rest, parts: [{ text: question }] } : { ...rest, content: question };
      return body;
    };
    const named = { "x-replay-cassette": parent };
    expect(await ask(cassetteOf(parent).request, changed(parent), named)).toEqual([parent, "name"]);
    expect(await ask(request, changed(id), named)).toEqual([id, "lineage"]);
    expect(await ask(request, changed(id))).toEqual([id, "lineage"]);
  });

  it("of Responses is also played to a client that names the response instead of repeating it", async () => {
    const { id, request } = later.find(({ provider }) => provider === "openai-responses") as Cassette;
    const { input, ...rest } = requestOf(id);
    const outputs = (input as Json[]).filter(({ type }) => type === "function_call_output");
    const played = await fetch(`${origin()}/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-replay-cassette": request.parent?.id ?? "" },
      body: JSON.stringify({ ...requestOf(request.parent?.id ?? ""), stream: false }),
    });
    const { id: previous } = (await played.json()) as Json;
    const [cassette] = await ask(request, { ...rest, previous_response_id: previous, input: outputs });
    expect(cassette).toBe(id);
  });
});
