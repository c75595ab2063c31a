import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { connect as connectHttp2, createServer as createHttp2Server } from "node:http2";
import { connect } from "node:net";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Replay } from "#lib/replay/playback/open-replay";
import { maxStallMs, pacer } from "#lib/replay/playback/pacer";
import { cutLingerMs, isClosed, playToResponse, playToStream } from "#lib/replay/playback/sinks";
import { deferred } from "#tests/support/deferred";
import { listen } from "#tests/support/listen";

const frames = Array.from({ length: 40 }, (_, index) => Buffer.from(`data: ${index}\n\n`));

const unpaced = Number.POSITIVE_INFINITY;

function replayOf(schedule: Partial<Replay["schedule"]>): Replay {
  const dueMs = Float64Array.from(frames, (_, index) => index);
  const whole = { frames, dueMs, from: 0, offsetMs: 0, speed: 1, cutAtEnd: false, ...schedule };
  return { status: 200, headers: {}, schedule: whole };
}

const play = (schedule: Partial<Replay["schedule"]>, response?: ServerResponse) =>
  playToStream(replayOf(schedule), response);

const all = frames.join("");
const large = Array.from({ length: 40 }, (_, index) => Buffer.alloc(1_000, index));

/** Returns a destination, and what it got. `accept` is awaited for each chunk. */
function receive(accept: () => unknown = () => undefined) {
  const got: string[] = [];
  const destination = new WritableStream<Uint8Array>({
    async write(bytes) {
      got.push(Buffer.from(bytes).toString());
      await accept();
    },
    close: () => void got.push("closed"),
    abort: (error) => void got.push((error as Error).name),
  });
  return { got, destination };
}

describe("piping a replay", () => {
  test("writes frames that are due together in one chunk, and closes", async () => {
    const { got, destination } = receive();
    await play({ speed: unpaced }).pipeTo(destination);
    expect(got).toEqual([all, "closed"]);
  });

  test("writes all frames of a recording that was cut, and then aborts", async () => {
    const { got, destination } = receive();
    await expect(play({ speed: unpaced, cutAtEnd: true }).pipeTo(destination)).rejects.toThrow("cut off");
    expect(got).toEqual([all, "AbortError"]);
  });

  test("pauses while the destination accepts nothing, and goes on", async () => {
    const accepts = deferred<void>();
    const { got, destination } = receive(() => accepts.promise);
    const piped = play({ frames: large, speed: unpaced }).pipeTo(destination);
    await expect.poll(() => got.length).toBe(1);
    expect(pacer().size).toBe(1);
    accepts.resolve();
    await piped;
    expect([got.length > 2, got.pop(), got.join("") === large.join("")]).toEqual([true, "closed", true]);
  });

  test.each([
    ["before", AbortSignal.abort(new Error("gone"))],
    ["while playing", undefined],
  ])("stops when its signal aborts %s", async (_, signal) => {
    const { got, destination } = receive();
    const client = new AbortController();
    const piped = play({ dueMs: Float64Array.from(frames, (_, index) => index * 3_600_000) }).pipeTo(destination, {
      signal: signal ?? client.signal,
    });
    if (!signal) await expect.poll(() => got.length).toBe(1);
    client.abort(new Error("gone"));
    await expect(piped).rejects.toThrow("gone");
    expect([pacer().size, got.at(-1)]).toEqual([0, "Error"]);
  });

  test.each(["a destination", "a reader"])("%s that accepts nothing holds up pairs of frames too", async (receiver) => {
    const pairs = {
      frames: Array.from({ length: 200 }, (_, index) => Buffer.alloc(1_000, index)),
      dueMs: Float64Array.from({ length: 200 }, (_, index) => Math.floor(index / 2)),
    };
    const accepts = deferred<void>();
    const stream = play(pairs);
    const reader = receiver === "a reader" ? stream.getReader() : undefined;
    const piped = reader ? reader.read() : stream.pipeTo(receive(() => accepts.promise).destination);
    await play(pairs).pipeTo(receive().destination);
    expect(pacer().size).toBe(1);
    accepts.resolve();
    await piped;
    await reader?.cancel();
    expect(pacer().size).toBe(0);
  });

  test("notices at once that the destination has failed", async () => {
    let fail = (_error: Error) => {};
    const destination = new WritableStream({
      start: (controller) => {
        fail = (error) => controller.error(error);
      },
    });
    const piped = play({ dueMs: Float64Array.from(frames, () => 3_600_000) }).pipeTo(destination);
    fail(new Error("broken"));
    await expect(piped).rejects.toThrow("broken");
    expect(pacer().size).toBe(0);
  });

  test("stops when the destination fails", async () => {
    const { destination } = receive(() => Promise.reject(new Error("broken")));
    await expect(play({ speed: 10 }).pipeTo(destination)).rejects.toThrow("broken");
    expect(pacer().size).toBe(0);
  });
});

describe("a replay whose Node.js response is known", () => {
  /** Serves a replay as Next.js does. Returns what a client gets, what passed through the Web stream, and its outcome. */
  async function serve(schedule: Partial<Replay["schedule"]>, read: (body: Response) => Promise<unknown>) {
    const outcome = deferred<unknown>();
    const { got, destination } = receive();
    const cork = vi.fn();
    const server = createServer((_request, response) => {
      response.cork = cork;
      const piped = play(schedule, response).pipeTo(destination);
      piped.then(() => outcome.resolve("done"), outcome.resolve);
    });
    const body = await fetch(`http://127.0.0.1:${await listen(server)}`);
    const result = { read: await read(body), got, outcome: await outcome.promise };
    // Node.js 22 and 24 lose what a corked response has not sent at its end, or never emit `drain`; Node.js 20 does not.
    expect(cork).not.toHaveBeenCalled();
    return result;
  }

  test("is written to it directly", async () => {
    const { read, got, outcome } = await serve({}, (body) => body.text());
    expect([read, got, outcome]).toEqual([all, ["closed"], "done"]);
  });

  test("is cut off where its recording was", async () => {
    const { read, got, outcome } = await serve({ cutAtEnd: true }, async (body) => {
      const decoder = new TextDecoder();
      const pieces: string[] = [];
      const failed = body.body!.pipeTo(
        new WritableStream({ write: (bytes) => void pieces.push(decoder.decode(bytes)) }),
      );
      await expect(failed).rejects.toThrow();
      return pieces.join("");
    });
    expect([read, got, (outcome as Error).name]).toEqual([all, ["AbortError"], "AbortError"]);
  });

  test("stops when its client disconnects", async () => {
    const dueMs = Float64Array.from(frames, (_, index) => index * 3_600_000);
    const { outcome } = await serve({ dueMs }, (body) => body.body!.cancel());
    expect([(outcome as Error).name, pacer().size]).toEqual(["AbortError", 0]);
  });
});

test("leaves with its head if all of it is due, so that a fetch can be aborted", async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200);
    playToResponse(replayOf({ speed: unpaced }), response);
  });
  const client = new AbortController();
  const { body } = await fetch(`http://127.0.0.1:${await listen(server)}`, { signal: client.signal });
  const reader = body!.getReader();
  await reader.read();
  client.abort();
  await expect(reader.read()).rejects.toThrow("aborted");
});

describe("a cut", () => {
  afterEach(() => void vi.restoreAllMocks());

  test.each(["1.1", "1.0"])("leaves a page time to read what was sent before it, over HTTP/%s", async (version) => {
    const real = setTimeout;
    const timers = vi.spyOn(globalThis, "setTimeout");
    const ends: (() => void)[] = [];
    timers.mockImplementation(((run: () => void, ms: number) =>
      ms === cutLingerMs ? ends.push(run) : real(run, ms)) as never);
    const server = createServer((_request, response) => {
      response.writeHead(200);
      playToResponse(replayOf({ speed: unpaced, cutAtEnd: true }), response);
    });
    const client = connect({ port: await listen(server), host: "127.0.0.1" });
    const ended = once(client, "end");
    const pieces: Buffer[] = [];
    client.on("data", (bytes: Buffer) => pieces.push(bytes));
    client.write(`GET / HTTP/${version}\r\nHost: a\r\n\r\n`);
    await expect.poll(() => ends.length).toBe(1);
    await expect.poll(() => Buffer.concat(pieces).includes("data: 39")).toBe(true);
    expect(client.readableEnded).toBe(false);
    ends[0]?.();
    await ended;
    expect(Buffer.concat(pieces).includes("\r\n0\r\n")).toBe(false);
  });
});

describe("a client that reads nothing", () => {
  afterEach(() => void vi.useRealTimers());

  test.each([
    ["the server in front of Next.js", (replay: Replay, response: ServerResponse) => playToResponse(replay, response)],
    [
      "a route handler",
      (replay: Replay, response: ServerResponse) =>
        void playToStream(replay, response)
          .pipeTo(receive().destination)
          .catch(() => undefined),
    ],
  ])("is disconnected by %s", async (_, playTo) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const more = Array.from({ length: 100 }, () => Buffer.alloc(1_000_000));
    let isClosed = false;
    const server = createServer((_request, response) => {
      response.once("close", () => {
        isClosed = true;
      });
      response.writeHead(200).flushHeaders();
      const dueMs = Float64Array.from(more, () => 0);
      playTo(replayOf({ frames: more, dueMs, speed: unpaced }), response);
    });
    const client = connect({ port: await listen(server), host: "127.0.0.1" }).pause();
    client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await expect.poll(() => pacer().size).toBe(1);
    await expect.poll(() => vi.advanceTimersByTime(maxStallMs) && isClosed).toBe(true);
    expect(pacer().size).toBe(0);
    client.destroy();
  });
});

test.each([false, true])(
  "a cut over HTTP/2 fails the stream alone, also if its client has left: %s",
  async (hasLeft) => {
    const received = deferred<ServerResponse>();
    const server = createHttp2Server((_, response) => received.resolve(response as unknown as ServerResponse));
    const session = connectHttp2(`http://127.0.0.1:${await listen(server)}`);
    onTestFinished(() => {
      session.destroy();
      server.close();
    });
    const stream = session.request();
    let text = "";
    stream.setEncoding("utf8").on("data", (part) => {
      text += part;
    });
    const closed = new Promise((resolve) => stream.on("error", resolve).on("close", resolve));
    const response = await received.promise;
    const left = once(response, "close");
    if (hasLeft) {
      stream.close();
      await left;
    } else response.writeHead(200);
    playToResponse(replayOf({ speed: unpaced, cutAtEnd: true }), response);
    await Promise.all([closed, left]);
    expect([isClosed(response), stream.rstCode, text]).toEqual(hasLeft ? [true, 0, ""] : [true, 2, all]);
    const { got, destination } = receive();
    await play({ speed: unpaced }).pipeTo(destination);
    expect(got.at(-1)).toBe("closed");
  },
);
