import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Cassette } from "#lib/replay/cassettes/format";
import { joinParent, objectOf } from "#lib/replay/cassettes/request";
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
});
