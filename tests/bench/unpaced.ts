import { readFile, writeFile } from "node:fs/promises";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { parseCassette } from "#lib/replay/cassettes/index";
import { defineBench, format, inParallel, limit, median, ratio, takeTurns } from "./harness";
import { startRole } from "./processes";
import { aimockPrompt, makeCassettes } from "./replay/cassettes";
import { servers } from "./replay/servers";

/** Writes the chunks of a cassette as fast as it can, after it has read the request: what any program on node:http has to do. */
export async function bareServer(file: string) {
  const { chunks } = parseCassette(await readFile(file));
  const server = createServer((message, response) => {
    message.resume().on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const { bytes } of chunks) response.write(bytes);
      response.end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return { ready: (server.address() as AddressInfo).port, answer: () => null };
}

type Load = { port: number; method: "GET" | "POST"; path: string; body: string; connections: number; count: number };

/** Sends requests over kept connections. Returns how many streams ended in a second; throws for any but a whole 200. */
export function loadGenerator() {
  const send = ({ port, method, path, body }: Load, agent: Agent) =>
    new Promise<number>((settle, fail) => {
      const headers = body === "" ? {} : { "content-type": "application/json", "x-replay-speed": "max" };
      const sent = request({ host: "127.0.0.1", port, method, path, headers, agent }, (response) => {
        let byteSize = 0;
        response.on("data", (bytes: Buffer) => {
          byteSize += bytes.length;
        });
        response.on("end", () =>
          response.statusCode === 200 ? settle(byteSize) : fail(new Error(`status ${response.statusCode}`)),
        );
        response.on("error", fail);
      });
      sent.on("error", fail);
      sent.end(body);
    });
  const answer = async (load: Load): Promise<number> => {
    const agent = new Agent({ keepAlive: true, maxSockets: load.connections });
    const startMs = performance.now();
    const sizes = new Set<number>();
    await inParallel(load.count, load.connections, async () => sizes.add(await send(load, agent)));
    const ms = performance.now() - startMs;
    agent.destroy();
    if (sizes.size !== 1) throw new Error(`answers of ${[...sizes]} bytes`);
    return load.count / (ms / 1_000);
  };
  return { ready: null, answer };
}

const ways = [
  { method: "GET", connections: 1 },
  { method: "GET", connections: 50 },
  { method: "POST", connections: 1 },
  { method: "POST", connections: 50 },
] as const;

export const bench = defineBench({
  about: "Replays without their timing (speed max) of a stream of 600 chunks, beside a bare node:http loop and aimock.",
  options: {
    streams: {
      default: 2_000,
      quick: 100,
      min: 50,
      max: 100_000,
      about: "streams of each in one round, on 50 connections",
    },
    rounds: { default: 7, quick: 1, min: 1, max: 50, about: "rounds" },
  },
  async run({ streams, rounds }, { say, cleanUp, makeFolder }) {
    const folder = await makeFolder();
    const cassettes = await makeCassettes(folder);
    const { c600 } = cassettes;
    const { fixtures } = JSON.parse(await readFile(c600.aimockFixtureFile, "utf8"));
    for (const fixture of fixtures) delete fixture.recordedTimings;
    await writeFile(c600.aimockFixtureFile, JSON.stringify({ fixtures }));
    const file = fileURLToPath(import.meta.url);
    const load = await startRole(file, loadGenerator, []);
    const bare = await startRole(file, bareServer, [c600.file], { environment: { NODE_ENV: "production" } });
    const [ours, route, aimock] = [
      await servers.tapedeck!(cassettes, folder, cleanUp),
      await servers["tapedeck-route"]!(cassettes, folder, cleanUp),
      await servers.aimock!(cassettes, folder, cleanUp),
    ];
    const messages = [{ role: "user", content: aimockPrompt("c600") }];
    const body = JSON.stringify({ model: "claude-bench-1", max_tokens: 1024, stream: true, messages });
    const subjects = ways.flatMap(({ method, connections }) =>
      [
        { who: "bare", port: bare.ready },
        { who: "tapedeck", port: ours.port },
        { who: "tapedeck, route handler", port: route.port },
        ...(method === "POST" ? [{ who: "aimock", port: aimock.port }] : []),
      ].map(({ who, port }) => {
        const isGet = method === "GET";
        const path = isGet ? `/api/v1/replay/${c600.id}?speed=max` : "/v1/messages";
        const count = Math.ceil(connections === 1 ? streams / 5 : streams);
        return { who, load: { port, method, path, body: isGet ? "" : body, connections, count } };
      }),
    );
    await takeTurns(subjects, 1, (subject) => load.ask({ ...subject.load, count: subject.load.connections * 4 }));
    const measured = await takeTurns(subjects, rounds, async ({ who, load: asked }, round) => {
      const perSecond = await load.ask(asked);
      say(`round ${round + 1}, ${asked.method}, ${asked.connections}, ${who}: ${format(perSecond)} streams a second`);
      return perSecond;
    });
    const results = subjects.map(({ who, load: { method, connections } }, index) => {
      return { who, method, connections, perSecond: median(measured[index]!) };
    });
    const toBare = ({ who, method, connections, perSecond }: (typeof results)[number], other = "bare") => {
      const is = (one: (typeof results)[number]) => one.method === method && one.connections === connections;
      const compared = results.find((one) => one.who === other && is(one));
      return who === other || !compared ? Number.NaN : perSecond / compared.perSecond;
    };
    const own = (method: string, connections: number, other?: string) => {
      const one = results.find(
        (each) => each.who === "tapedeck" && each.method === method && each.connections === connections,
      )!;
      return { "": toBare(one, other) };
    };
    return {
      tables: [
        {
          head: ["Request", "Connections", "Server", "Streams a second", "÷ bare"],
          rows: results.map((one) => [
            ...[one.method, String(one.connections), one.who, format(one.perSecond)],
            one.who === "bare" ? "–" : ratio(toBare(one), 1),
          ]),
        },
      ],
      goals: [
        ...limit("GET on 50 connections ≥ 0.9 × bare", own("GET", 50), { atLeast: 0.9, unit: " ×" }),
        ...limit("POST on 50 connections ≥ 0.6 × bare", own("POST", 50), { atLeast: 0.6, unit: " ×" }),
        ...limit("GET on one connection ≥ 0.5 × bare", own("GET", 1), { atLeast: 0.5, unit: " ×" }),
        ...limit("POST on one connection ≥ 0.5 × bare", own("POST", 1), { atLeast: 0.5, unit: " ×" }),
        ...limit("POST on 50 connections ≥ aimock", own("POST", 50, "aimock"), { atLeast: 1, unit: " ×" }),
        ...limit("POST on one connection ≥ aimock", own("POST", 1, "aimock"), { atLeast: 1, unit: " ×" }),
      ],
      results: { streams, rounds, results },
    };
  },
});
