import { pino } from "pino";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { Catalogue } from "#lib/replay/cassettes/index";
import { blobStore } from "#lib/replay/cassettes/stores/blob-store";
import type { CassetteStore } from "#lib/replay/cassettes/stores/cassette-store";
import { type BlobDouble, blobSettings, startBlobDouble } from "#tests/support/blob-double";
import { sampleCassette } from "#tests/support/sample-cassette";

/** Timeout of a call: long enough for a busy machine, short enough for a test. */
const timeoutMs = 1_500;

let double: BlobDouble;

beforeEach(async () => {
  double = await startBlobDouble();
});

describe("a catalogue over Vercel Blob", () => {
  const maxAgeMs = 60_000;
  let nowMs: number;
  let logged: string[];

  function openCatalogue(store: CassetteStore = blobStore(blobSettings, timeoutMs)): Catalogue {
    logged = [];
    nowMs = 1_000_000;
    const log = pino({ level: "info" }, { write: (line: string) => logged.push(line) });
    return new Catalogue({ store, log, monotonicMs: () => nowMs, maxAgeMs });
  }

  async function idsOf(catalogue: Catalogue): Promise<string[]> {
    return (await catalogue.list()).map(({ id }) => id);
  }

  test("picks up changed, added and removed cassettes, and reads nothing else again", async () => {
    for (const slug of ["a", "b", "c"]) double.set(`cassettes/legal/${slug}.json`, sampleCassette(`legal/${slug}`));
    const catalogue = openCatalogue();
    await catalogue.list();
    expect(double.count("get")).toBe(3);

    double.set("cassettes/legal/a.json", sampleCassette("legal/a", "Something new."));
    double.remove("cassettes/legal/b.json");
    double.set("cassettes/legal/d.json", sampleCassette("legal/d"));
    nowMs += maxAgeMs + 1;
    await catalogue.list();
    await expect.poll(() => idsOf(catalogue)).toEqual(["legal/a", "legal/c", "legal/d"]);
    expect((await catalogue.find("legal/a"))?.text).toBe("Something new.");
    const fetched = double.requests.filter(({ kind }) => kind === "get").slice(3);
    expect(fetched.map(({ pathname }) => pathname).sort()).toEqual([
      "cassettes/legal/a.json",
      "cassettes/legal/d.json",
    ]);
  });

  test("does not reload a recent listing", async () => {
    double.set("cassettes/legal/a.json", sampleCassette("legal/a"));
    const catalogue = openCatalogue();
    await catalogue.list();
    nowMs += maxAgeMs - 1;
    await catalogue.list();
    await catalogue.recording("legal/a");
    expect([double.count("list"), double.count("get")]).toEqual([1, 1]);
  });

  test.each(["down", "slow"] as const)(
    "responds with 503 while Blob is %s from the start, and recovers by itself",
    async (mode) => {
      double.mode = mode;
      double.set("cassettes/legal/a.json", sampleCassette("legal/a"));
      const catalogue = openCatalogue(blobStore(blobSettings, 300));
      await expect(catalogue.list()).rejects.toMatchObject({ code: "service_unavailable" });
      double.mode = "fine";
      nowMs += 5_000;
      expect(await idsOf(catalogue)).toEqual(["legal/a"]);
    },
  );

  test("reads the sequence file when it is first needed, and again only after a reload", async () => {
    const catalogue = openCatalogue();
    await catalogue.list();
    expect(double.count("get")).toBe(0);
    double.set("cassettes/sequences.json", '{"once": ["429"]}');
    const both = await Promise.all([catalogue.sequences(), catalogue.sequences()]);
    expect(both.map((sequences) => [...sequences.keys()])).toEqual([["once"], ["once"]]);
    expect(double.count("get")).toBe(1);

    double.set("cassettes/sequences.json", '{"twice": ["429", "429"]}');
    expect((await catalogue.sequences()).has("once")).toBe(true);
    nowMs += maxAgeMs + 1;
    await expect.poll(async () => [...(await catalogue.sequences()).keys()]).toEqual(["twice"]);
    expect(double.count("get")).toBe(2);
    double.mode = "down";
    expect((await catalogue.sequences()).has("twice")).toBe(true);
    expect(logged).toEqual([]);
  });

  test("responds with 503 if the sequence file cannot be read, and reads it for the next request", async () => {
    double.set("cassettes/sequences.json", '{"once": ["429"]}');
    const store = blobStore(blobSettings, timeoutMs);
    const failing = vi.fn(store.read).mockRejectedValueOnce(new Error("down"));
    const catalogue = openCatalogue({ ...store, read: failing });
    await expect(catalogue.sequences()).rejects.toMatchObject({ code: "service_unavailable" });
    expect((await catalogue.sequences()).has("once")).toBe(true);
  });

  test("keeps serving loaded cassettes while Blob is down, and reloads when it is back", async () => {
    double.set("cassettes/legal/a.json", sampleCassette("legal/a"));
    const catalogue = openCatalogue(blobStore(blobSettings, 300));
    await catalogue.list();
    double.mode = "down";
    nowMs += maxAgeMs + 1;
    expect(await idsOf(catalogue)).toEqual(["legal/a"]);
    await expect.poll(() => logged.join("")).toContain("does not respond");
    expect((await catalogue.recording("legal/a"))?.byteSize).toBeGreaterThan(0);

    double.mode = "fine";
    double.set("cassettes/legal/b.json", sampleCassette("legal/b"));
    nowMs += maxAgeMs + 1;
    await expect.poll(() => idsOf(catalogue)).toEqual(["legal/a", "legal/b"]);
  });
});
