import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { eventually } from "./eventually";
import { type Adapter, type Served, serve } from "./serve";

export type ServedFolder = Served & { folder: string };

/** Node servers of this worker that no test file uses: a start takes longer than most of the tests. They end with the worker. */
const free: ServedFolder[] = [];

async function startOnFolder(adapter: Adapter): Promise<ServedFolder> {
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-served-"));
  // Vitest ends its workers so.
  process.once("SIGTERM", () => {
    rmSync(folder, { recursive: true, force: true });
    process.kill(process.pid, "SIGTERM");
  });
  return { ...(await serve(adapter, { CASSETTE_DIR: folder, DATABASE_URL: "", LOG_LEVEL: "warn" })), folder };
}

async function untilListed({ origin }: Served, ids: Iterable<string>): Promise<void> {
  const expected = [...ids].map((id) => `${id}.json`).toSorted();
  await eventually(async () => {
    const { cassettes } = (await (await fetch(`${origin}/api/v1/cassettes`)).json()) as {
      cassettes: { cassette_path: string }[];
    };
    expect(cassettes.map((each) => each.cassette_path).toSorted()).toEqual(expected);
  });
}

/**
 * Returns an app that has these files as cassettes, by id, and no database. Stopping it removes them. A Node server then serves
 * the next test file of the worker: its output, and what it counts for `x-replay-test`, have those of earlier ones.
 */
export async function serveFiles(adapter: Adapter, files: ReadonlyMap<string, string | Buffer>): Promise<ServedFolder> {
  const served = (adapter === "node" && free.pop()) || (await startOnFolder(adapter));
  for (const [id, content] of files) {
    const file = join(served.folder, `${id}.json`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  await untilListed(served, files.keys());
  const stop = async () => {
    for (const name of readdirSync(served.folder)) rmSync(join(served.folder, name), { recursive: true });
    if (adapter !== "node") return served.stop();
    await untilListed(served, []).catch((error) => served.stop().then(() => Promise.reject(error)));
    free.push(served);
  };
  return { ...served, stop };
}
