import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";

/** What the processes of a run load, and what fixtures load without one. */
const [ofRuns, ofFixtures] = ["register", "hold-ends"].map((name) =>
  resolve(`lib/replay/interception/hooks/${name}.cjs`),
);
const events = Array.from({ length: 200 }, (_, index) => `data: ${index}\n\n`).join("");

/**
 * Runs a program with the hook, which gets `response`: a played answer whose whole body and end come together, after the head.
 * Then the server closes, so that a read that never ends ends the process with code 13.
 */
function run(read: string, byteSize = events.length, hook = ofRuns): string {
  const program = `
    import { createServer } from "node:http";
    import { setTimeout as sleep } from "node:timers/promises";
    const server = createServer((request, response) => {
      response.writeHead(200, { "x-tapedeck": "played", connection: "close" }).flushHeaders();
      answered = () => response.end(${JSON.stringify(events)}.repeat(${Math.ceil(byteSize / events.length)}));
      server.close();
    });
    let answered;
    await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
    const client = new AbortController();
    const response = await fetch("http://127.0.0.1:" + server.address().port, { signal: client.signal });
    answered();
    ${read}`;
  const environment = { ...process.env, TAPEDECK_PROXY: "http://127.0.0.1:9", NODE_OPTIONS: "" };
  const args = ["--require", hook as string, "--input-type=module", "--eval", program];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env: environment, encoding: "utf8" });
  return status === 0 ? stdout.trim() : `${status} ${stderr}`;
}

describe("a fetch of a played answer", () => {
  it.each(["", "await sleep(20);"])("can be aborted between the events that came together (%s)", (wait) => {
    const read = `
      const reader = response.body.getReader();
      await reader.read();
      ${wait}
      client.abort();
      await reader.read().catch(({ name }) => console.log(name));`;
    expect([run(read), run(read, events.length, ofFixtures)]).toEqual(["AbortError", "AbortError"]);
  });

  it.each([events.length, 5_000_000])("is read to its end: %i bytes", (byteSize) => {
    const read = Number(run("console.log((await response.text()).length);", byteSize));
    expect(read % events.length).toBe(0);
    expect(read).toBeGreaterThanOrEqual(byteSize);
  });

  it("is read event by event, slowly", () => {
    const read = `
      let size = 0;
      for await (const bytes of response.body) {
        size += bytes.length;
        await sleep(1);
      }
      console.log(size);`;
    expect(run(read)).toBe(String(events.length));
  });

  it("can be left unread, or cancelled", () => {
    expect(run("console.log(response.status);")).toBe("200");
    expect(run("await response.body.cancel(); console.log(response.status);")).toBe("200");
  });
});
