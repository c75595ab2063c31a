import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { maxCassetteByteSize } from "#lib/replay/cassettes/schemas";
import { sealCassette, serializeCassette } from "#lib/replay/cassettes/seal-cassette";
import { BlobDouble, blobToken } from "#tests/support/blob-double";
import { readStream } from "#tests/support/read-stream";
import { sampleCassette } from "#tests/support/sample-cassette";
import { type Adapter, type Served, serve } from "#tests/support/serve";

const root = resolve(import.meta.dirname, "../..");
const bundled = join(root, "content/cassettes");
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

let folder = "";
const running: Served[] = [];

async function start(adapter: Adapter, environment: Record<string, string>): Promise<Served> {
  const served = await serve(adapter, environment);
  running.push(served);
  return served;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + 15_000;
  while (!(await condition())) {
    if (performance.now() > deadlineMs) throw new Error("the condition did not come true within 15 s");
    await new Promise((settle) => setTimeout(settle, 25));
  }
}

const statusOf = async (url: string) => (await readStream(url)).status;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tapedeck-cassettes-"));
  mkdirSync(join(folder, "legal"));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ stop }) => stop()));
  rmSync(folder, { recursive: true, force: true });
});

describe.each<[Adapter]>([["node"], ["route"]])("without its database (%s)", (adapter) => {
  it("says so in health with 200, and replay, listing and fleet go on", async () => {
    const { origin, output } = await start(adapter, { DATABASE_URL: "postgres://nobody:secret@127.0.0.1:1/none" });
    const health = await readStream(`${origin}/api/v1/health`);
    expect(health.status).toBe(200);
    expect(JSON.parse(health.body.toString())).toMatchObject({ status: "ok", db_connected: false });
    expect(await statusOf(`${origin}/api/v1/replay/legal/nda-review?speed=max`)).toBe(200);
    expect(await statusOf(`${origin}/api/v1/cassettes`)).toBe(200);
    const fleet = await readStream(`${origin}/api/v1/fleet`);
    expect(JSON.parse(fleet.body.toString()).count).toBe(4);
    expect(output()).not.toContain("secret");
  });
});

describe("without a cassette store", () => {
  it.each([
    ["CASSETTE_STORE=none", { CASSETTE_STORE: "none" }],
    ["Blob without its token", { CASSETTE_STORE: "blob" }],
  ])("%s: replay is 503, the listing is empty, random is 404", async (_name, environment) => {
    for (const adapter of ["node", "route"] as const) {
      const { origin } = await start(adapter, environment);
      const replay = await readStream(`${origin}/api/v1/replay/legal/nda-review`);
      expect([replay.status, JSON.parse(replay.body.toString()).code]).toEqual([503, "service_unavailable"]);
      const listing = await readStream(`${origin}/api/v1/cassettes`);
      expect([listing.status, JSON.parse(listing.body.toString()).count]).toEqual([200, 0]);
      expect(await statusOf(`${origin}/api/v1/replay/random`)).toBe(404);
      expect(await statusOf(`${origin}/`)).toBe(200);
    }
  });
});

describe("a bad configuration", () => {
  it("stops the start with one line per variable", () => {
    const { status, stderr } = spawnSync(process.execPath, ["lib/cli/tapedeck.mjs", "up"], {
      cwd: root,
      encoding: "utf8",
      env: {
        NODE_ENV: "production",
        PATH: process.env.PATH,
        PORT: "http",
        BASE_URL: "nowhere",
        CASSETTE_STORE: "attic",
        LOG_LEVEL: "loud",
        SITE_URLS: "legal",
      },
      timeout: 30_000,
    });
    expect(status).toBe(2);
    for (const name of ["PORT", "BASE_URL", "CASSETTE_STORE", "LOG_LEVEL", "SITE_URLS"]) {
      expect(stderr.split("\n").filter((line) => line.startsWith(`  ${name}: `))).toHaveLength(1);
    }
    expect(stderr).not.toMatch(/\bat .*\.ts:\d+/);
  });
});

describe("broken cassettes in the folder", () => {
  const put = (slug: string, text: string) => writeFileSync(join(folder, "legal", `${slug}.json`), text);

  it("are left out and named in the log, each with its reason; the others are served", async () => {
    const good = sampleCassette("legal/tampered");
    put("good", sampleCassette("legal/good"));
    put("truncated", good.slice(0, good.length / 2));
    put("tampered", good.replace(/"delta_ms":1,/, '"delta_ms":2,'));
    put("altered", sampleCassette("legal/altered").replace("Hello there.", "Hello where."));
    put("asked", sampleCassette("legal/asked").replace('"Well?"', '"Hm?"'));
    put("renamed", sampleCassette("legal/other"));
    put("future", sampleCassette("legal/future").replace("cassette/1", "cassette/2"));
    put("empty", "");
    put("binary", "\u0000\u0001");
    writeFileSync(join(folder, "legal/huge.json"), "{");
    truncateSync(join(folder, "legal/huge.json"), maxCassetteByteSize + 1);
    writeFileSync(join(folder, "legal/Not A Slug.json"), "{}");
    const { origin, output } = await start("node", { CASSETTE_DIR: folder });
    expect(await statusOf(`${origin}/api/v1/replay/legal/good`)).toBe(200);
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
      const line =
        output()
          .split("\n")
          .find((text) => text.includes(`"cassette":"legal/${slug}"`)) ?? "";
      expect([slug, line]).toEqual([slug, expect.stringMatching(reason)]);
    }
  });

  it("are served once they are repaired; new ones appear and removed ones disappear, without a restart", async () => {
    put("a", "{");
    const { origin } = await start("node", { CASSETTE_DIR: folder });
    expect(await statusOf(`${origin}/api/v1/replay/legal/a`)).toBe(404);
    put("a", sampleCassette("legal/a"));
    await until(async () => (await statusOf(`${origin}/api/v1/replay/legal/a`)) === 200);
    mkdirSync(join(folder, "finance"));
    writeFileSync(join(folder, "finance/b.json"), sampleCassette("finance/b"));
    await until(async () => (await statusOf(`${origin}/api/v1/replay/finance/b`)) === 200);
    rmSync(join(folder, "legal/a.json"));
    await until(async () => (await statusOf(`${origin}/api/v1/replay/legal/a`)) === 404);
  });
});

describe.each<[Adapter]>([["node"], ["route"]])("recordings that did not end well (%s)", (adapter) => {
  const draft = (id: string) => ({
    id,
    title: id,
    subtitle: "",
    provenance: {
      kind: "recorded" as const,
      recorded_at: "2026-11-01T00:00:00Z",
      recorder: "tapedeck/1.0.0",
      timing: "measured" as const,
      clock: "monotonic" as const,
      boundary: "http-read" as const,
      source: {},
    },
    request: { body: { model: "m", messages: [] }, redactions: [] },
  });

  it("are cut where they were cut, and answer with their recorded status", async () => {
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
    for (const cassette of [cut, limited])
      writeFileSync(join(folder, `${cassette.id}.json`), serializeCassette(cassette));
    const { origin } = await start(adapter, { CASSETTE_DIR: folder });
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
});

describe("cassettes in Vercel Blob", () => {
  const environment = (origin: string) => ({
    CASSETTE_STORE: "blob",
    BLOB_READ_WRITE_TOKEN: blobToken,
    BLOB_DOUBLE_ORIGIN: origin,
    VERCEL_BLOB_RETRIES: "0",
    NODE_OPTIONS: `--import=${pathToFileURL(join(root, "tests/support/redirect-blob.mjs"))}`,
  });

  it("replay byte for byte like those of the folder", async () => {
    const blob = await new BlobDouble().start();
    try {
      const file = readFileSync(join(bundled, "legal/nda-review.json"), "utf8");
      blob.set("cassettes/legal/nda-review.json", file);
      const { origin } = await start("node", environment(blob.origin));
      // On a busy machine the first requests can reach the time-out of the store.
      await until(async () => (await statusOf(`${origin}/api/v1/replay/legal/nda-review?speed=max`)) === 200);
      const { status, body } = await readStream(`${origin}/api/v1/replay/legal/nda-review?speed=max`);
      expect([status, sha256(body)]).toEqual([200, JSON.parse(file).integrity.body_sha256]);
    } finally {
      await blob.close();
    }
  });

  it("are 503 with Retry-After while Blob was never reached, and come without a restart when it is", async () => {
    const blob = await new BlobDouble().start();
    try {
      blob.set("cassettes/legal/a.json", sampleCassette("legal/a"));
      blob.mode = "down";
      const { origin } = await start("node", environment(blob.origin));
      for (const path of ["replay/legal/a", "cassettes", "replay/random", "fleet"]) {
        const { status, headers } = await readStream(`${origin}/api/v1/${path}`);
        expect([path, status, headers["retry-after"]]).toEqual([path, 503, "5"]);
      }
      blob.mode = "fine";
      await until(async () => (await statusOf(`${origin}/api/v1/replay/legal/a`)) === 200);
      blob.mode = "down";
      expect(await statusOf(`${origin}/api/v1/replay/legal/a`)).toBe(200);
    } finally {
      await blob.close();
    }
  });
});

describe("a folder that is not there", () => {
  it("is 503 until it is", async () => {
    const later = join(folder, "later");
    const { origin } = await start("node", { CASSETTE_DIR: later });
    expect(await statusOf(`${origin}/api/v1/replay/legal/nda-review`)).toBe(503);
    mkdirSync(join(later, "legal"), { recursive: true });
    copyFileSync(join(bundled, "legal/nda-review.json"), join(later, "legal/nda-review.json"));
    await until(async () => (await statusOf(`${origin}/api/v1/replay/legal/nda-review?speed=max`)) === 200);
  });
});
