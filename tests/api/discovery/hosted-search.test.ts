import { describe, expect, onTestFinished } from "vitest";
import type { SearchAnswer } from "#lib/discovery/search/index";
import { itExtended } from "#tests/support/extended";
import { readStream } from "#tests/support/read-stream";
import { type Served, serve } from "#tests/support/serve";
import { UpstashSearchDouble, upstashSearchToken } from "#tests/support/upstash-search-double";

async function start() {
  const double = await UpstashSearchDouble.start();
  const app = await serve("node", { LOG_LEVEL: "info", UPSTASH_SEARCH_INDEX: "test", ...double.environment });
  onTestFinished(() => app.stop());
  return { double, app };
}

async function ask({ origin }: Served): Promise<SearchAnswer> {
  const { status, body } = await readStream(`${origin}/api/v1/search?q=server-sent%20events`);
  expect(status).toBe(200);
  return JSON.parse(body.toString());
}

/** The rules are in tests/unit/discovery/search/hosted.test.ts. */
describe("the app with Upstash Search", () => {
  itExtended(
    "fills the index automatically and uses it; in an outage memory is used, and the token is never logged",
    async () => {
      const { double, app } = await start();
      expect((await ask(app)).hits[0]?.id).toBe("developer-tools/explain-sse");
      await expect.poll(async () => (await ask(app)).backend).toBe("hosted-ai-search");
      expect([...double.indexes.keys()]).toEqual(["test"]);
      expect((await ask(app)).hits[0]?.id).toBe("developer-tools/explain-sse");

      double.mode = "down";
      expect(await ask(app)).toMatchObject({ backend: "in-memory-bm25-lite" });
      double.calls.length = 0;
      expect((await ask(app)).hits[0]?.id).toBe("developer-tools/explain-sse");
      expect(double.calls).toEqual([]);
      await expect.poll(() => app.output()).toContain("the hosted search does not respond");
      expect(app.output()).not.toContain(upstashSearchToken);
    },
  );
});
