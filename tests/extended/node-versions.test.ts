import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeOf } from "#tests/support/clients/install-packages";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import { readStream } from "#tests/support/read-stream";
import { serve } from "#tests/support/serve";

const root = resolve(import.meta.dirname, "../..");
const cassette = "legal/nda-review";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

describe.each(["20", "22", "24"])("Node.js %s", (version) => {
  it("runs the command and the server, and replays byte for byte", { timeout: 600_000 }, async () => {
    const node = nodeOf(version);
    const listed = spawnSync(node, [join(root, "lib/cli/tapedeck.mjs"), "cassettes", "verify", cassette], {
      encoding: "utf8",
    });
    expect([listed.status, listed.stdout]).toEqual([0, `ok   ${cassette}\n`]);
    const served = await serve("node", { DATABASE_URL: database.url }, node);
    try {
      const { status, body } = await readStream(`${served.origin}/api/v1/replay/${cassette}?speed=max`);
      const { integrity } = JSON.parse(readFileSync(join(root, `content/cassettes/${cassette}.json`), "utf8"));
      expect([status, createHash("sha256").update(body).digest("hex")]).toEqual([200, integrity.body_sha256]);
      expect((await readStream(`${served.origin}/`)).status).toBe(200);
      expect((await readStream(`${served.origin}/api/v1/vendors`)).status).toBe(200);
    } finally {
      await served.stop();
    }
  });
});
