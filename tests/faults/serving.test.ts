import { createHash } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { maxCassetteByteSize } from "#lib/replay/cassettes/format";
import { answerRequest } from "#lib/replay/cassettes/request";
import { sealCassette, serializeCassette } from "#lib/replay/cassettes/seal-cassette";
import { anthropic } from "#lib/replay/providers/index";
import { BlobDouble, blobToken } from "#tests/support/blob-double";
import { isExtended } from "#tests/support/extended";
import { until as untilWithin } from "#tests/support/launcher";
import { readStream } from "#tests/support/read-stream";
import { provenance, sampleCassette } from "#tests/support/sample-cassette";
import { type Adapter, type Served, serve } from "#tests/support/serve";
import { temporaryFolder } from "#tests/support/temporary-folder";

const root = resolve(import.meta.dirname, "../..");
const bundled = join(root, "content/cassettes");
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

const draft = (id: string) => ({
  id,
  title: id,
  subtitle: "",
  provenance,
  provider: anthropic,
  request: answerRequest(anthropic, { model: "m", messages: [] }),
});

const running: Served[] = [];

async function start(adapter: Adapter, environment: Record<string, string>): Promise<Served> {
  const served = await serve(adapter, environment);
  running.push(served);
  return served;
}

const until = (condition: () => boolean | Promise<boolean>) => untilWithin(condition, 240_000);

const statusOf = async (url: string) => (await readStream(url)).status;

afterAll(() => Promise.all(running.map(({ stop }) => stop())));

/** Both adapters answer with the same code. */
const adapters: Adapter[] = isExtended ? ["node", "route"] : ["node"];

describe.each(adapters)("with a cassette folder and without its database (%s)", (adapter) => {
  const folder = temporaryFolder();
  const cassetteFolder = join(folder, "cassettes");
  const put = (id: string, text: string) => writeFileSync(join(cassetteFolder, `${id}.json`), text);
  let origin: string;
  let output: () => string;

  beforeAll(async () => {
    const environment = { CASSETTE_DIR: cassetteFolder, DATABASE_URL: "postgres://nobody:secret@127.0.0.1:1/none" };
    ({ origin, output } = await start(adapter, environment));
  });

  it("replay is 503 until the folder exists", async () => {
    expect(await statusOf(`${origin}/api/v1/replay/legal/nda-review`)).toBe(503);
    mkdirSync(join(cassetteFolder, "legal"), { recursive: true });
    copyFileSync(join(bundled, "legal/nda-review.json"), join(cassetteFolder, "legal/nda-review.json"));
    await until(async () => (await statusOf(`${origin}/api/v1/replay/legal/nda-review?speed=max`)) === 200);
    // The listing is tried again a second after it has failed; a replay needs its file alone.
    await until(async () => (await statusOf(`${origin}/api/v1/cassettes`)) === 200);
  });

  it("health reports the database with 200, with ready=1 503, and listing and fleet work", async () => {
    const health = await readStream(`${origin}/api/v1/health`);
    expect(health.status).toBe(200);
    const body = { status: "ok", db_connected: false };
    expect(JSON.parse(health.body.toString())).toMatchObject(body);
    const ready = await readStream(`${origin}/api/v1/health?ready=1`);
    expect([ready.status, JSON.parse(ready.body.toString())]).toMatchObject([503, body]);
    expect(await statusOf(`${origin}/api/v1/cassettes`)).toBe(200);
    const fleet = await readStream(`${origin}/api/v1/fleet`);
    expect(JSON.parse(fleet.body.toString()).count).toBe(4);
    expect(output()).not.toContain("secret");
  });

  it("broken cassettes are skipped and logged with their reason; the others are served", async () => {
    const good = sampleCassette("legal/tampered");
    put("legal/good", sampleCassette("legal/good"));
    put("legal/truncated", good.slice(0, good.length / 2));
    put("legal/tampered", good.replace(/"delta_ms":1,/, '"delta_ms":2,'));
    put("legal/altered", sampleCassette("legal/altered").replace("Hello there.", "Hello where."));
    put("legal/asked", sampleCassette("legal/asked").replace('"Well?"', '"Hm?"'));
    put("legal/renamed", sampleCassette("legal/other"));
    put("legal/future", sampleCassette("legal/future").replace("cassette/2", "cassette/3"));
    put("legal/empty", "");
    put("legal/binary", "\u0000\u0001");
    put("legal/huge", "{");
    truncateSync(join(cassetteFolder, "legal/huge.json"), maxCassetteByteSize + 1);
    put("legal/Not A Slug", "{}");
    await until(async () => (await statusOf(`${origin}/api/v1/replay/legal/good`)) === 200);
    const reasons: Record<string, RegExp> = {
      truncated: /not valid JSON/,
      tampered: /chunks_sha256/,
      altered: /body_sha256/,
      asked: /request\.sha256/,
      renamed: /has the id legal\/other/,
      future: /schema/,
      empty: /not valid JSON/,
      binary: /not valid JSON/,
      huge: /64 MiB/,
    };
    for (const [slug, reason] of Object.entries(reasons)) {
      expect([slug, await statusOf(`${origin}/api/v1/replay/legal/${slug}`)]).toEqual([slug, 404]);
      // The log arrives through a pipe: after the response, and a line in parts. A file that was read while it was written
      // has an earlier line with another reason.
      const lines = () => output().split("\n").slice(0, -1);
      const isAbout = (text: string) => text.includes(`"cassette":"legal/${slug}"`) && reason.test(text);
      await until(() => lines().some(isAbout));
    }
  });

  it("a repaired cassette is served; added and removed ones are noticed without a restart", async () => {
    put("legal/empty", sampleCassette("legal/empty"));
    await until(async () => (await statusOf(`${origin}/api/v1/replay/legal/empty`)) === 200);
    mkdirSync(join(cassetteFolder, "finance"));
    put("finance/b", sampleCassette("finance/b"));
    await until(async () => (await statusOf(`${origin}/api/v1/replay/finance/b`)) === 200);
    rmSync(join(cassetteFolder, "legal/empty.json"));
    await until(async () => (await statusOf(`${origin}/api/v1/replay/legal/empty`)) === 404);
  });

  it("truncated recordings end where the connection was closed, and failed ones have their recorded status", async () => {
    const cut = sealCassette({
      ...draft("legal/cut"),
      response: { status: 200, headers: { "content-type": "text/event-stream" } },
      chunks: [{ deltaMs: 5, bytes: Buffer.from("event: ping\ndata: {}\n\nevent: mess") }],
      end: "truncated",
    });
    const limited = sealCassette({
      ...draft("legal/limited"),
      response: { status: 429, headers: { "content-type": "application/json", "retry-after": "7" } },
      chunks: [{ deltaMs: 5, bytes: Buffer.from('{"type":"error"}') }],
      end: "error",
    });
    for (const cassette of [cut, limited]) put(cassette.id, serializeCassette(cassette));
    await until(async () => (await statusOf(`${origin}/api/v1/replay/legal/limited`)) === 429);
    const broken = await readStream(`${origin}/api/v1/replay/legal/cut`);
    expect([broken.status, broken.body.toString(), broken.cut]).toEqual([
      200,
      "event: ping\ndata: {}\n\nevent: mess",
      true,
    ]);
    const refused = await readStream(`${origin}/api/v1/replay/legal/limited`);
    expect([
      refused.status,
      refused.headers["retry-after"],
      refused.headers["content-type"],
      refused.body.toString(),
    ]).toEqual([429, "7", "application/json", '{"type":"error"}']);
  });

  it("what is expected to fail is no error in the log, and has no stack", async () => {
    const checkout = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"tier":"pro"}' };
    expect((await fetch(`${origin}/api/v1/payment/checkout`, checkout)).status).toBe(500);
    for (const path of ["/v1/messages", "/api/mcp"]) {
      const client = connect(Number(new URL(origin).port), "127.0.0.1");
      client.on("error", () => {});
      await once(client, "connect");
      const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n`;
      client.write(`${head}{"model":`, () => client.destroy());
      await until(async () => output().includes(`"path":"${path}","status":400`));
    }
    const lines = output().split("\n");
    const unloaded = lines.filter((line) => line.includes("could not load cassettes"));
    expect(unloaded).toEqual([expect.stringContaining("no such file or directory")]);
    expect(lines.some((line) => line.includes('"level":40') && line.includes("Payment is not configured"))).toBe(true);
    const errors = lines.filter((line) => /"level":50|^\s+at |\u2a2f/.test(line) && !unloaded.includes(line));
    expect(errors).toEqual([]);
    expect(unloaded[0]).not.toContain('"stack"');
  });
});

describe.runIf(isExtended)("without a cassette store", () => {
  it.each<[string, Adapter, Record<string, string>]>([
    ["CASSETTE_STORE=none", "node", { CASSETTE_STORE: "none" }],
    ["Blob without its token", "route", { CASSETTE_STORE: "blob" }],
  ])("%s (%s): replay is 503, the listing is empty, random is 404", async (_name, adapter, environment) => {
    const { origin } = await start(adapter, environment);
    const replay = await readStream(`${origin}/api/v1/replay/legal/nda-review`);
    expect([replay.status, JSON.parse(replay.body.toString()).code]).toEqual([503, "service_unavailable"]);
    const listing = await readStream(`${origin}/api/v1/cassettes`);
    expect([listing.status, JSON.parse(listing.body.toString()).count]).toEqual([200, 0]);
    expect(await statusOf(`${origin}/api/v1/replay/random`)).toBe(404);
    expect(await statusOf(`${origin}/`)).toBe(200);
  });
});

describe.runIf(isExtended)("cassettes in Vercel Blob", () => {
  const environment = (origin: string) => ({
    CASSETTE_STORE: "blob",
    BLOB_READ_WRITE_TOKEN: blobToken,
    BLOB_DOUBLE_ORIGIN: origin,
    VERCEL_BLOB_RETRIES: "0",
    NODE_OPTIONS: `--import=${pathToFileURL(join(root, "tests/support/redirect-blob.mjs"))}`,
  });

  it("are 503 with Retry-After until Blob is reached, then replay byte for byte, also while it is down again", async () => {
    const blob = await new BlobDouble().start();
    try {
      const file = readFileSync(join(bundled, "legal/nda-review.json"), "utf8");
      blob.set("cassettes/legal/nda-review.json", file);
      blob.mode = "down";
      const { origin } = await start("node", environment(blob.origin));
      for (const path of ["replay/legal/nda-review", "cassettes", "replay/random", "fleet"]) {
        const { status, headers } = await readStream(`${origin}/api/v1/${path}`);
        expect([path, status, headers["retry-after"]]).toEqual([path, 503, "5"]);
      }
      blob.mode = "fine";
      const url = `${origin}/api/v1/replay/legal/nda-review?speed=max`;
      await until(async () => (await statusOf(url)) === 200);
      for (const mode of ["fine", "down"] as const) {
        blob.mode = mode;
        const { status, body } = await readStream(url);
        expect([mode, status, sha256(body)]).toEqual([mode, 200, JSON.parse(file).integrity.body_sha256]);
      }
    } finally {
      await blob.close();
    }
  });
});
