import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { listen } from "#tests/support/listen";
import { runCollected } from "../../../../lib/cli/bootstrap/processes.mjs";

afterEach(() => {
  vi.useRealTimers();
});

it("a program may run for longer than its time limit while it prints, and is ended when it is silent", async () => {
  const server = createServer();
  onTestFinished(() => void server.close());
  const port = await listen(server);
  const printing = new EventTarget();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const script = `require("net").connect(${port}, "127.0.0.1").pipe(process.stdout)`;
  const onOutput = () => printing.dispatchEvent(new Event("output"));
  const run = runCollected(process.execPath, ["-e", script], { timeoutMs: 60_000, onOutput });
  const [socket] = (await once(server, "connection")) as [Socket];
  for (const text of ["a", "b", "c"]) {
    const printed = once(printing, "output");
    socket.write(text);
    await Promise.race([printed, run]);
    vi.advanceTimersByTime(54_000);
  }
  vi.advanceTimersByTime(6_000);
  expect(await run).toEqual({
    exitCode: null,
    ending: "SIGTERM",
    output: "abc\nNo output for 60 s, or no end in time.",
  });
});
