import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "#lib/platform/clock";
import { parseCassette } from "#lib/replay/cassettes/index";
import { buildRequest, record } from "#lib/replay/cassettes/recorder/index";
import { anthropic, requireProvider } from "#lib/replay/providers/index";
import { serveStream } from "#tests/support/provider-double";
import { readStream } from "#tests/support/read-stream";
import { type Served, serve } from "#tests/support/serve";

/** Every bundled stream is served by a provider double, recorded, and replayed through the started app. */
const bundled = resolve(import.meta.dirname, "../../content/cassettes");
const streams = readdirSync(bundled, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".json"))
  .map((name) => name.replaceAll("\\", "/").replace(/\.json$/, ""))
  .sort();
const read = (id: string) => parseCassette(readFileSync(join(bundled, `${id}.json`)));
const bytesOf = (id: string) => Buffer.concat(read(id).chunks.map(({ bytes }) => bytes));
const ofAnthropic = streams.filter((id) => read(id).cassette.provider === anthropic.name);

let folder = "";
const apps: Served[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tapedeck-record-replay-"));
  for (const [index, id] of streams.entries()) {
    const { cassette } = read(id);
    const server = await serveStream(bytesOf(id), {
      chunkBytes: 97 + index * 61,
      headers: { "content-type": cassette.response.headers["content-type"] ?? "" },
    });
    try {
      const provider = requireProvider(cassette.provider);
      const destination = { folder, force: false };
      const input = {
        id,
        title: id,
        subtitle: "",
        provider,
        request: buildRequest(provider, { model: "m", prompt: "?" }),
        baseUrl: server.origin,
        apiKey: "none",
        allowError: true,
        destination,
      };
      await record({ clock: systemClock }, input);
    } finally {
      await server.close();
    }
  }
  apps.push(
    ...(await Promise.all([serve("node", { CASSETTE_DIR: folder }), serve("route", { CASSETTE_DIR: folder })])),
  );
});
afterAll(async () => {
  await Promise.all(apps.map(({ stop }) => stop()));
  await rm(folder, { recursive: true });
});

async function messageFrom(baseURL: string, model: string): Promise<unknown> {
  const client = new Anthropic({ baseURL, apiKey: "none", maxRetries: 0, defaultQuery: { speed: "max" } });
  const stream = client.messages.stream({ model, max_tokens: 64, messages: [{ role: "user", content: "?" }] });
  return stream.finalMessage().then(
    (message) => JSON.parse(JSON.stringify(message)),
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

describe("a recorded stream", () => {
  it.each(streams)("%s replays byte for byte with measured timing on both servers", async (id) => {
    for (const { origin } of apps) {
      const { status, headers, body } = await readStream(`${origin}/api/v1/replay/${id}?speed=max`);
      expect(status).toBe(200);
      expect(body.equals(bytesOf(id))).toBe(true);
      expect(headers).toMatchObject({ "x-replay-provenance": "recorded", "x-replay-timing": "measured" });
    }
  });

  it.each(ofAnthropic)("%s gives the unmodified SDK the same message as the original", async (id) => {
    const provider = await serveStream(bytesOf(id));
    try {
      const original = await messageFrom(provider.origin, "m");
      for (const { origin } of apps) expect(await messageFrom(origin, `cassette:${id}`)).toEqual(original);
    } finally {
      await provider.close();
    }
  });
});
