import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
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
import { count, defineBench, limit, ratio, spreadOf, type Table, takeTurns } from "./harness";
import { root } from "./processes";

const bundled = join(root, "content/cassettes");
/** Cassettes of the project. A corpus has these, the conversation, and generated ones. */
const bundledCount = 20;
const smallCount = 23;
const known = "developer-tools/explain-sse";

/** A conversation of three turns, with what each turn asks. */
const conversation = sealConversation("bench", protocols.anthropic, {
  prompt: question,
  turns: turnsOf("toolu_bench"),
  runTool,
});
const topics = "invoice contract index budget deployment policy meeting refund parser lease".split(" ");
const verbs = ["Summarize", "Review", "Explain", "Compare", "Rewrite", "Check", "Translate", "Plan"];

/** Returns a conversation of one turn, whose prompt no other has. */
function generated(number: number) {
  const topic = topics[number % topics.length];
  const prompt = `${verbs[number % verbs.length]} the ${topic} number ${number} of the ${topics[(number * 7) % topics.length]} archive.`;
  const turns = [{ text: `The ${topic} ${number} is in order.`, calls: [] }];
  return sealConversation(`bench-${number}`, protocols.anthropic, { prompt, turns, runTool }).cassettes[0]!;
}

/** Fills a folder with the project's cassettes, the conversation, and generated ones. */
async function writeCorpus(folder: string, cassetteCount: number) {
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
  const { list, read } = folderStore(folder);
  const ids: string[] = [];
  const recordRead = (id: string) => {
    ids.push(id);
    return read(id);
  };
  const catalogue = new Catalogue({
    store: { kind: "folder", list, read: recordRead },
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

/** Quantiles with the small and the large folder. */
type Compared = { kind: string; p50Ms: number[]; p99Ms: number[]; addedP99Ms: number };

/** Measures both in turn, after a tenth of the measurements that does not count. */
async function compare<Side>({ kind }: Probe, sides: Side[], times: number, measure: (side: Side) => Promise<number>) {
  const all = await takeTurns(sides, Math.ceil(times * 1.1), measure);
  const spreads = all.map((each) => spreadOf(each.slice(-times)));
  const [small = Number.NaN, large = Number.NaN] = spreads.map(({ p99Ms }) => p99Ms);
  return { kind, p50Ms: spreads.map(({ p50Ms }) => p50Ms), p99Ms: [small, large], addedP99Ms: large - small };
}

function tableOf(first: string, rows: readonly Compared[], largeCount: number): Table {
  const columns = ["p50", "p99"].flatMap((name) =>
    [smallCount, largeCount].map((each) => `${name} ms, ${count(each)}`),
  );
  const cells = ({ kind, p50Ms, p99Ms, addedP99Ms }: Compared) => [
    ...[kind, ...[...p50Ms, ...p99Ms, addedP99Ms].map((ms) => ms.toFixed(3)), ratio(p99Ms[1]!, p99Ms[0]!)],
  ];
  return { head: [first, ...columns, "Added at p99, ms", "p99 ratio"], rows: rows.map(cells) };
}

export const bench = defineBench({
  about: `Drop-in requests on the built server with a large and a small folder of cassettes, which take turns; and in this process, the
processor time of the choice alone and the files that it reads.`,
  options: {
    requests: { default: 3_000, quick: 100, min: 100, max: 1_000_000, about: "requests of each kind" },
    cassettes: {
      default: 10_000,
      quick: 100,
      min: smallCount + 1,
      max: 10_000,
      about: "cassettes in the large folder",
    },
  },
  async run({ requests, cassettes }, { say, cleanUp, makeFolder }) {
    const [matchers, servers]: [Matcher[], Served[]] = [[], []];
    for (const cassetteCount of [smallCount, cassettes]) {
      const folder = await makeFolder();
      await writeCorpus(folder, cassetteCount);
      matchers.push(await openMatcher(folder));
      servers.push(await serve("node", { CASSETTE_DIR: folder, DATABASE_URL: "", LOG_LEVEL: "error" }));
      cleanUp(servers.at(-1)!.stop);
    }
    const [choices, overHttp]: [Compared[], Compared[]] = [[], []];
    const reads = [];
    for (const probe of await makeProbes()) {
      choices.push(await compare(probe, matchers, requests, (matcher) => timeChoice(matcher, probe)));
      matchers[1]!.takeReads();
      reads.push(await readsOf(matchers[1]!, probe));
      overHttp.push(await compare(probe, servers, requests, (server) => timeRequest(server, probe)));
      say(`timed the choice and requests, ${probe.kind}`);
    }
    const added = Object.fromEntries(choices.map(({ kind, addedP99Ms }) => [kind, addedP99Ms]));
    const wasted = reads.filter(({ read, played }) => read.some((id) => id !== played));
    return {
      tables: [tableOf("Choice alone, CPU", choices, cassettes), tableOf("Whole request", overHttp, cassettes)],
      goals: [
        ...limit("the choice alone takes at most 1 ms more at p99", added, { atMost: 1, unit: " ms" }),
        ...limit("no file is read that is not played", { "kinds of requests": wasted.length }, { atMost: 0 }),
      ],
      results: { choices, overHttp, reads },
    };
  },
});
