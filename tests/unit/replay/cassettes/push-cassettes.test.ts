import { beforeEach, describe, expect, test } from "vitest";
import { folderStore, pushCassettes, StoreUnavailableError } from "#lib/replay/cassettes/index";
import { type BlobDouble, blobSettings, blobToken, startBlobDouble } from "#tests/support/blob-double";
import { runCommand } from "#tests/support/run-cli";
import { sampleCassette } from "#tests/support/sample-cassette";
import { temporaryFolder, writeIn } from "#tests/support/temporary-folder";

let double: BlobDouble;
let folder: string;

beforeEach(async () => {
  double = await startBlobDouble();
  folder = temporaryFolder();
});

const putInFolder = (path: string, content: string) => writeIn(folder, path, content);

describe("pushing a folder's cassettes", () => {
  async function push(ids: string[] = [], dryRun = false): Promise<[string, string][]> {
    const outcomes: [string, string][] = [];
    for await (const { id, outcome } of pushCassettes(
      { source: folderStore(folder), blob: blobSettings },
      { ids, dryRun },
    )) {
      outcomes.push([id, outcome]);
    }
    return outcomes;
  }

  test("uploads them to where the store reads them, byte for byte, and skips unchanged ones", async () => {
    const text = sampleCassette("legal/a");
    await putInFolder("legal/a.json", text);
    await putInFolder("finance/b.json", sampleCassette("finance/b"));
    expect(await push()).toEqual([
      ["finance/b", "pushed"],
      ["legal/a", "pushed"],
    ]);
    expect(double.contentOf("cassettes/legal/a.json")).toBe(text);

    expect(await push()).toEqual([
      ["finance/b", "unchanged"],
      ["legal/a", "unchanged"],
    ]);
    expect(double.count("put")).toBe(2);

    await putInFolder("legal/a.json", sampleCassette("legal/a", "Hello again."));
    expect(await push(["legal/a"])).toEqual([["legal/a", "pushed"]]);
  });

  test("a change that keeps the size is detected", async () => {
    double.set("cassettes/legal/a.json", sampleCassette("legal/a", "AAAA"));
    await putInFolder("legal/a.json", sampleCassette("legal/a", "BBBB"));
    expect(await push()).toEqual([["legal/a", "pushed"]]);
  });

  test("an invalid one is not pushed; the others are", async () => {
    await putInFolder("legal/bad.json", sampleCassette("legal/bad").slice(0, -40));
    await putInFolder("legal/good.json", sampleCassette("legal/good"));
    expect(await push()).toEqual([
      ["legal/bad", "failed"],
      ["legal/good", "pushed"],
    ]);
    expect(double.contentOf("cassettes/legal/bad.json")).toBeUndefined();
  });

  test("the sequence file is pushed with all cassettes, if it is valid and not there unchanged", async () => {
    await putInFolder("legal/a.json", sampleCassette("legal/a"));
    await putInFolder("sequences.json", '{"once": ["429"]}');
    const outcomes = async (ids?: string[]) => (await push(ids)).map(([id, outcome]) => `${id} ${outcome}`);
    expect(await outcomes(["legal/a"])).toEqual(["legal/a pushed"]);
    expect(await outcomes()).toEqual(["legal/a unchanged", "sequences.json pushed"]);
    expect(double.contentOf("cassettes/sequences.json")).toBe('{"once": ["429"]}');
    expect(await outcomes()).toEqual(["legal/a unchanged", "sequences.json unchanged"]);
    await putInFolder("sequences.json", '{"once": ["428"]}');
    expect(await outcomes()).toEqual(["legal/a unchanged", "sequences.json pushed"]);
    await putInFolder("sequences.json", '{"once": ["200"]}');
    expect(await outcomes()).toEqual(["legal/a unchanged", "sequences.json failed"]);
    expect(double.contentOf("cassettes/sequences.json")).toBe('{"once": ["428"]}');
  });

  test("a dry run pushes nothing", async () => {
    await putInFolder("legal/a.json", sampleCassette("legal/a"));
    expect(await push([], true)).toEqual([["legal/a", "would push"]]);
    expect(double.count("put")).toBe(0);
  });

  test("a Blob store that does not respond is an error before anything is pushed", async () => {
    await putInFolder("legal/a.json", sampleCassette("legal/a"));
    double.mode = "down";
    await expect(push()).rejects.toThrow(StoreUnavailableError);
  });
});

describe("cassettes push", () => {
  const push = (...args: string[]) =>
    runCommand(["cassettes", "push", ...args], {
      environment: { BLOB_READ_WRITE_TOKEN: blobToken, CASSETTE_DIR: folder },
    });

  test("reports each cassette, and exits with code 1 if one is invalid", async () => {
    await putInFolder("legal/good.json", sampleCassette("legal/good"));
    const stdout = expect.stringMatching(/^pushed +legal\/good +\(.* kB\)\n$/);
    expect(await push()).toEqual({ code: 0, stdout, stderr: "" });
    await putInFolder("legal/bad.json", "{");
    const { code, ...printed } = await push();
    expect([code, printed.stderr]).toEqual([1, "1 of 2 files were not pushed.\n"]);
    expect(printed.stdout).toMatch(/failed +legal\/bad: is not valid JSON/);
    expect(JSON.parse((await push("legal/good", "--json")).stdout)).toMatchObject([{ outcome: "unchanged" }]);
  });

  test("reports in one line that Blob is unavailable", async () => {
    double.mode = "down";
    const stderr = expect.stringMatching(/^could not list the cassettes in Vercel Blob: .*not available.*\n$/);
    expect(await push()).toEqual({ code: 1, stdout: "", stderr });
  });
});
