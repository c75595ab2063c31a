import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { eventually } from "#tests/support/eventually";
import { isExtended } from "#tests/support/extended";
import { readStream } from "#tests/support/read-stream";
import { type Served, serve } from "#tests/support/serve";
import { sharedDatabase } from "#tests/support/shared-database";
import { longTimeouts } from "#tests/support/start-app";

/** What happens between a signal to the server and its exit, with a grace period of five minutes. */

const database = sharedDatabase();
const replayPath = "/api/v1/replay/developer-tools/explain-sse";
const readyPath = "/api/v1/health?ready=1";

async function start(WORKERS: string): Promise<Served> {
  const environment = { DATABASE_URL: database.url, WORKERS, STOP_GRACE_S: "300", LOG_LEVEL: "info", ...longTimeouts };
  const server = await serve("node", environment);
  onTestFinished(() => void server.process.kill("SIGKILL"));
  return server;
}

/** Returns the body of a replay whose first piece has come; rejects when it is cut. */
async function openReplay(origin: string, speed: string): Promise<() => Promise<string>> {
  const sent = request(`${origin}${replayPath}?speed=${speed}`, { agent: false }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const body = text(response);
  body.catch(() => undefined);
  return () => body;
}

it.each(["1", "2"])(
  "a replay goes on to its end after SIGTERM, while an open connection gets 503, then the server exits (WORKERS=%s)",
  async (workers) => {
    const { origin, process: child, output } = await start(workers);
    const whole = (await readStream(`${origin}${replayPath}?speed=max`)).body.toString();
    expect((await readStream(`${origin}${readyPath}`)).status).toBe(200);
    const openConnection = connect(Number(new URL(origin).port), "127.0.0.1");
    openConnection.write(`GET ${readyPath} HTTP/1.1\r\n`);
    const answer = text(openConnection);
    const bodyOf = await openReplay(origin, "3");
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await eventually(() => expect(output()).toMatch(/"requests":1,"graceS":300,"msg":"stopping/));
    openConnection.write("Host: 127.0.0.1\r\n\r\n");
    // Of two processes, the one without the replay has exited.
    if (workers === "1")
      expect(await answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nconnection: close\r\n[\s\S]*"db_connected":true/i);
    await eventually(() => expect(readStream(`${origin}${readyPath}`)).rejects.toThrow("ECONNREFUSED"));
    expect(await bodyOf()).toBe(whole);
    expect(await ended).toEqual([0, null]);
  },
);

it.each([
  ["1", "SIGTERM"] as const,
  ...(isExtended ? (["SIGTERM", "SIGQUIT"] as const) : []).map((signal) => ["2", signal] as const),
])("a second signal ends the server at once (WORKERS=%s, %s)", async (workers, second) => {
  const { origin, process: child } = await start(workers);
  const bodyOf = await openReplay(origin, "0.1");
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  // Two SIGTERM within a second count as one.
  const signals = eventually(() => {
    child.kill(second);
    expect(child.exitCode).not.toBeNull();
  });
  await expect(bodyOf()).rejects.toThrow("aborted");
  expect(await ended).toEqual([0, null]);
  await signals;
});
