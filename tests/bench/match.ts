import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { sites } from "#lib/contract/sites";
import { findNearestCassettes } from "#lib/discovery/search/index";
import { systemClock } from "#lib/platform/clock";
import { log } from "#lib/platform/log";
import { Catalogue } from "#lib/replay/cassettes/catalogue";
import { serializeCassette } from "#lib/replay/cassettes/seal-cassette";
import { folderStore } from "#lib/replay/cassettes/stores/folder-store";
import { chooseCassette } from "#lib/replay/playback/choose-cassette";
import { replayAnswer } from "#lib/replay/playback/index";
import { readRequest } from "#lib/replay/playback/read-request";
import { anthropic } from "#lib/replay/providers/index";
import { type Json, protocols, question, runTool, turnsOf } from "#tests/support/conversation-protocols";
import { sealConversation } from "#tests/support/seal-conversation";
import { type Served, serve } from "#tests/support/serve";
import { count, defineBench, limit, median, type Spread, spreadOf, takeTurns } from "./harness";
import { root } from "./processes";

const bundled = join(root, "content/cassettes");
/** Cassettes of the project. A corpus has these, the conversation, and generated ones. */
const bundledCount = 20;
const smallCount = 23;
const warmUpCount = 200;
const known = "developer-tools/explain-sse";

/** A conversation of three turns, with what each turn asks. */
const conversation = sealConversation("bench", protocols.anthropic, {
  prompt: question,
  turns: turnsOf("toolu_bench"),
  runTool,
});
const topics = [
  "invoice",
  "contract",
  "index",
  "budget",
  "deployment",
  "policy",
  "meeting",
  "refund",
  "parser",
  "lease",
];
const verbs = ["Summarize", "Review", "Explain", "Compare", "Rewrite", "Check", "Translate", "Plan"];

/** Returns a conversation of one turn, whose prompt no other has. */
function generated(number: number) {
  const topic = topics[number % topics.length];
  const prompt = `${verbs[number % verbs.length]} the ${topic} number ${number} of the ${topics[(number * 7) % topics.length]} archive.`;
  const turns = [{ text: `The ${topic} ${number} is in order.`, calls: [] }];
  return sealConversation(`bench-${number}`, protocols.anthropic, { prompt, turns, runTool }).cassettes[0]!;
}

/** Writes a folder with the project's cassettes, the conversation, and generated ones. */
async function writeCorpus(cassetteCount: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tapedeck-match-"));
  await cp(bundled, folder, { recursive: true, filter: (path) => !path.endsWith(".yaml") });
  const generatedCount = cassetteCount - bundledCount - conversation.cassettes.length;
  const cassettes = [
    ...conversation.cassettes,
    ...Array.from({ length: generatedCount }, (_, number) => generated(number)),
  ];
  for (const cassette of cassettes) {
    const file = join(folder, `${cassette.id}.json`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, serializeCassette(cassette));
  }
  return folder;
}

/** A request, and how it has to be matched. A miss has no cassette. */
type Probe = { kind: string; body: Json; match: string | null; id: string | null };

/** Returns one request for each way of matching. All corpora give them the same answers. */
async function makeProbes(): Promise<Probe[]> {
  const recorded = JSON.parse(await readFile(join(bundled, `${known}.json`), "utf8")).request.body.json;
  const [, second] = conversation.requests as [Json, Json];
  const ask = (content: string) => ({ model: "any", max_tokens: 100, messages: [{ role: "user", content }] });
  const model = `cassette:${conversation.cassettes[0]?.id}`;
  const changed = { ...second, system: "Today is another day." };
  const [firstTurn, secondTurn] = ["developer-tools/bench-1", "developer-tools/bench-2"];
  return [
    { kind: "by name", body: { ...ask("Anything"), model: `cassette:${known}` }, match: "name", id: known },
    { kind: "exact request", body: { ...recorded, stream: false }, match: "exact", id: known },
    { kind: "same ids", body: changed, match: "lineage", id: secondTurn },
    { kind: "turn of a named conversation", body: { ...changed, model }, match: "lineage", id: secondTurn },
    { kind: "first turn of a named conversation", body: { ...ask(question), model }, match: "name", id: firstTurn },
    { kind: "nearest prompt", body: ask("Explain server-sent events"), match: "nearest", id: known },
    { kind: "none (404)", body: ask("zyx wvu tsr"), match: null, id: null },
  ];
}

type Matcher = { context: Parameters<typeof chooseCassette>[0]; takeReads: () => string[] };

/** Loads a corpus as the server does, with no recording kept in memory. `takeReads` returns the files read since. */
async function openMatcher(folder: string): Promise<Matcher> {
  const { list, read, readSequences } = folderStore(folder);
  const ids: string[] = [];
  const recordRead = (id: string) => {
    ids.push(id);
    return read(id);
  };
  const catalogue = new Catalogue({
    store: { kind: "folder", list, read: recordRead, readSequences },
    log: log(),
    monotonicMs: systemClock.monotonicMs,
    maxAgeMs: Number.POSITIVE_INFINITY,
    maxCachedByteSize: 1,
  });
  await catalogue.matchIndex();
  ids.length = 0;
  const [site] = sites;
  const nearestCassettes: Matcher["context"]["nearestCassettes"] = (input) =>
    findNearestCassettes({ catalogue, site }, input);
  return { context: { catalogue, nearestCassettes }, takeReads: () => ids.splice(0) };
}

const sourceOf = ({ body }: Probe) => ({
  endpointId: "createMessage",
  provider: "anthropic",
  path: "/v1/messages",
  query: "",
  bytes: Buffer.from(JSON.stringify(body)),
  contentType: null,
});

/** Sends a request to the code behind the endpoint; returns what it read from the store, and what it played. */
async function readsOf({ context, takeReads }: Matcher, probe: Probe) {
  const input = { source: sourceOf(probe), header: () => null, requestId: "bench" };
  const played = await replayAnswer(context, input).then(
    ({ headers }) => headers["X-Replay-Cassette"] ?? null,
    () => null,
  );
  return { kind: probe.kind, read: takeReads(), played };
}

/** Returns the processor time of choosing the cassette, in milliseconds, without the turns that other processes take. */
async function timeChoice({ context }: Matcher, probe: Probe): Promise<number> {
  const { model } = probe.body as { model: string };
  const named = model.startsWith("cassette:") ? { id: model.slice("cassette:".length), place: "model" } : null;
  const source = sourceOf(probe);
  const start = process.cpuUsage();
  const request = await readRequest(source, async () => false);
  await chooseCassette(context, { provider: anthropic, request, named }).catch(() => null);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

/** Returns the time of a whole request over HTTP, in milliseconds. */
async function timeRequest({ origin }: Served, { kind, body, match, id }: Probe): Promise<number> {
  const startMs = performance.now();
  const response = await fetch(`${origin}/v1/messages?speed=max`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const tookMs = performance.now() - startMs;
  const got = [response.headers.get("x-replay-match"), response.headers.get("x-replay-cassette")];
  if (got[0] !== match || got[1] !== id) throw new Error(`${kind}: got ${got.join(" ")}: ${text.slice(0, 300)}`);
  return tookMs;
}

type Compared = { kind: string; small: Spread; large: Spread };

function compare(kind: string, [small, large]: number[][]): Compared {
  return { kind, small: spreadOf(small!), large: spreadOf(large!) };
}

/** Returns the medians of the rounds' quantiles. */
function medianOf(kind: string, rounds: readonly Compared[]): Compared {
  const over = (side: "small" | "large", name: keyof Spread) => median(rounds.map((round) => round[side][name]));
  const side = (name: "small" | "large") => ({
    p50Ms: over(name, "p50Ms"),
    p99Ms: over(name, "p99Ms"),
    maxMs: over(name, "maxMs"),
  });
  return { kind, small: side("small"), large: side("large") };
}

export const bench = defineBench({
  about: `Drop-in requests on the built server with a large and a small folder of cassettes, which take turns; and in this process, the
processor time of the choice alone and the files that it reads.`,
  options: {
    requests: { default: 500, quick: 100, min: 100, max: 100_000, about: "requests of each kind in one round" },
    rounds: { default: 9, quick: 1, min: 1, max: 50, about: "rounds" },
    cassettes: {
      default: 10_000,
      quick: 100,
      min: smallCount + 1,
      max: 10_000,
      about: "cassettes in the large folder",
    },
  },
  async run({ requests, rounds, cassettes }, { say, cleanUp }) {
    const folders: string[] = [];
    for (const cassetteCount of [smallCount, cassettes]) {
      folders.push(await writeCorpus(cassetteCount));
      cleanUp(() => rm(folders.pop()!, { recursive: true }));
    }
    const probes = await makeProbes();
    const matchers = [await openMatcher(folders[0]!), await openMatcher(folders[1]!)];
    const choices: Compared[] = [];
    const reads = [];
    for (const probe of probes) {
      const times = await takeTurns(matchers, warmUpCount + requests * rounds, (matcher) => timeChoice(matcher, probe));
      choices.push(
        compare(
          probe.kind,
          times.map((each) => each.slice(warmUpCount)),
        ),
      );
      matchers[1]!.takeReads();
      reads.push(await readsOf(matchers[1]!, probe));
    }
    say("timed the choice alone");
    const servers: Served[] = [];
    for (const folder of folders) {
      servers.push(await serve("node", { CASSETTE_DIR: folder, DATABASE_URL: "", LOG_LEVEL: "error" }));
      cleanUp(servers.at(-1)!.stop);
    }
    const overHttp: Compared[] = [];
    for (const probe of probes) {
      const measure = (requestCount: number) =>
        takeTurns(servers, requestCount, (server) => timeRequest(server, probe));
      await measure(Math.min(requests, 300));
      const measured: Compared[] = [];
      while (measured.length < rounds) measured.push(compare(probe.kind, await measure(requests)));
      overHttp.push(medianOf(probe.kind, measured));
      say(`timed requests, ${probe.kind}`);
    }
    const head = [smallCount, cassettes].map(count);
    const cells = ({ kind, small, large }: Compared) => [
      ...[kind, small.p50Ms.toFixed(3), large.p50Ms.toFixed(3), small.p99Ms.toFixed(3), large.p99Ms.toFixed(3)],
      ...[(large.p99Ms - small.p99Ms).toFixed(3), `${(large.p99Ms / small.p99Ms).toFixed(2)} ×`],
    ];
    const tableOf = (first: string, rows: Compared[]) => ({
      head: [
        first,
        ...["p50", "p99"].flatMap((name) => head.map((each) => `${name} ms, ${each}`)),
        "Added at p99, ms",
        "p99 ratio",
      ],
      rows: rows.map(cells),
    });
    const added = Object.fromEntries(choices.map(({ kind, small, large }) => [kind, large.p99Ms - small.p99Ms]));
    const wasted = reads.filter(({ read, played }) => read.some((id) => id !== played)).length;
    return {
      tables: [
        tableOf("Choice alone, CPU", choices),
        tableOf("Whole request", overHttp),
        {
          head: ["Matched", "Files read", "Played"],
          rows: reads.map(({ kind, read, played }) => [kind, read.join(", ") || "none", played ?? "none"]),
        },
      ],
      goals: [
        ...limit("the choice alone takes at most 1 ms more at p99", added, { atMost: 1, unit: " ms" }),
        ...limit("no file is read that is not played", { "kinds of requests": wasted }, { atMost: 0 }),
      ],
      results: { choices, overHttp, reads },
    };
  },
});
