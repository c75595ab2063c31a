import { once } from "node:events";
import { expect, test } from "vitest";
import { watchEventLoop } from "#lib/cli/launcher/server-process";
import { startChild } from "../../../../lib/cli/bootstrap/processes.mjs";

const silenceMs = 2_000;
/** Signs of life until it is told to block. */
const program = `setInterval(() => process.send({ alive: true }), 10);
process.on("message", () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));`;

test("a server whose event loop is blocked is ended, with its last request in the log, and no other", async () => {
  const lines: string[] = [];
  const start = () => startChild(process.execPath, ["-e", program], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const [blocked, living] = [start(), start()];
  for (const child of [blocked, living]) {
    await once(child, "message");
    watchEventLoop(child, { lastRequest: () => "POST /v1/messages", print: (line) => lines.push(line), silenceMs });
  }
  blocked.send("block");
  const [, signal] = await once(blocked, "exit");
  expect(signal).toBe("SIGKILL");
  expect(lines).toEqual([
    "The server's event loop has not run for 2 s, so it is restarted. Its last request: POST /v1/messages\n",
  ]);
  // It was watched for as long, and is alive.
  await once(living, "message");
  living.kill();
  await once(living, "exit");
});
