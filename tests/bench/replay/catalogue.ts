import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cassette } from "#lib/replay/cassettes/index";
import { hashRequest } from "#lib/replay/cassettes/request";
import { type Served, serve } from "#tests/support/serve";
import { count, defineBench, format, limit, median, timeOf, withRange } from "../harness";
import { cpuTimeMs, listProcessTree, residentMebibytes, root } from "../processes";

const bundled = join(root, "content/cassettes");
const smallCount = 36;
/** Time after the answers, for garbage to be collected before memory is read. */
const settleMs = 3_000;
const pollMs = 5;

async function readBundled(): Promise<Cassette[]> {
  const names = (await readdir(bundled, { recursive: true })).filter((name) => name.endsWith(".json")).sort();
  return Promise.all(names.map(async (name) => JSON.parse(await readFile(join(bundled, name), "utf8"))));
}

/** Returns a copy of a cassette, which continues the copy of its parent. */
function copyOf(cassette: Cassette, number: number): Cassette {
  const nameOf = (id: string) => `${id}-copy-${number}`;
  const { parent, ...request } = cassette.request;
  const renamed = parent ? { ...request, parent: { ...parent, id: nameOf(parent.id) } } : request;
  return { ...cassette, id: nameOf(cassette.id), request: { ...renamed, sha256: hashRequest(renamed) } };
}

/** Writes copies of the project's cassettes, and returns their ids. */
async function writeCorpus(folder: string, cassetteCount: number): Promise<string[]> {
  const originals = await readBundled();
  const ids: string[] = [];
  for (let number = 0; number < cassetteCount; number++) {
    const original = originals[number % originals.length]!;
    const copy = copyOf(original, Math.floor(number / originals.length));
    const file = join(folder, `${copy.id}.json`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(copy));
    ids.push(copy.id);
  }
  return ids;
}

async function statusOf(url: string): Promise<number> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.status;
}

type Files = { folder: string; dataFolder: string; ids: readonly string[] };

/** Starts the server and measures its first answers, its memory after them, and how long a changed file takes to be seen. */
async function measureStart({ folder, dataFolder, ids }: Files) {
  let server: Served | undefined;
  const environment = { CASSETTE_DIR: folder, TAPEDECK_DATA_DIR: dataFolder, DATABASE_URL: "", LOG_LEVEL: "error" };
  const startMs = await timeOf(async () => {
    server = await serve("node", environment);
  });
  const { origin, pid, stop } = server!;
  try {
    const id = ids[Math.floor(ids.length / 2)];
    const replay = () => statusOf(`${origin}/api/v1/replay/${id}?speed=max`);
    const list = () => statusOf(`${origin}/api/v1/cassettes`);
    const replayMs = await timeOf(replay);
    const firstListMs = await timeOf(list);
    const cpuMs = cpuTimeMs(listProcessTree(pid));
    const listMs: number[] = [];
    for (let round = 0; round < 5; round++) listMs.push(await timeOf(list));
    await sleep(settleMs);
    const memoryMib = residentMebibytes(listProcessTree(pid));
    const file = join(folder, `${id}.json`);
    const kept = await readFile(file);
    const changedMs = await timeOf(() => replaceAndAwait(file, "{}", replay, 404));
    await replaceAndAwait(file, kept, replay, 200);
    return { startMs, replayMs, firstListMs, cpuMs, listMs: median(listMs), memoryMib, changedMs };
  } finally {
    await stop();
  }
}

/** Replaces a cassette's file, and waits until its replay has a status: a damaged one is a 404. */
async function replaceAndAwait(
  file: string,
  bytes: string | Uint8Array,
  replay: () => Promise<number>,
  status: number,
) {
  await writeFile(`${file}.new`, bytes);
  await rename(`${file}.new`, file);
  while ((await replay()) !== status) await sleep(pollMs);
}

export const bench = defineBench({
  about: `The built server with a large folder of cassettes beside one with a small folder: start, first replay by id, listing, memory,
and how long a changed file takes to be seen. Without an index on disk, as at the first start, and with one.`,
  options: {
    cassettes: { default: 10_000, quick: 400, min: 100, max: 10_000, about: "cassettes in the folder" },
    rounds: { default: 3, quick: 1, min: 1, max: 20, about: "rounds" },
  },
  async run({ cassettes, rounds }, { say, makeFolder }) {
    const base = await makeFolder();
    const folders = { small: join(base, "small"), large: join(base, "large") };
    const ids = {
      small: await writeCorpus(folders.small, smallCount),
      large: await writeCorpus(folders.large, cassettes),
    };
    say(`wrote ${count(cassettes)} cassettes`);
    const subjects = [
      { name: `${smallCount} cassettes`, corpus: "small" },
      { name: "without an index", corpus: "large" },
      { name: "with an index", corpus: "large" },
    ] as const;
    type Subject = (typeof subjects)[number];
    const [small, , indexed] = subjects;
    const large = subjects.filter(({ corpus }) => corpus === "large");
    const results = new Map(subjects.map((subject) => [subject, [] as Awaited<ReturnType<typeof measureStart>>[]]));
    for (let round = 0; round < rounds; round++) {
      for (const subject of subjects) {
        const { name, corpus } = subject;
        const dataFolder = join(base, `data-${corpus}-${round}`);
        const result = await measureStart({ folder: folders[corpus], dataFolder, ids: ids[corpus] });
        results.get(subject)!.push(result);
        const figures = Object.entries(result).map(([figure, value]) => `${figure} ${format(value)}`);
        say(`round ${round + 1}, ${name}: ${figures.join(", ")}, load ${format(loadavg()[0])}`);
      }
    }
    type Figure = keyof Awaited<ReturnType<typeof measureStart>>;
    const all = (subject: Subject, figure: Figure) => results.get(subject)!.map((result) => result[figure]);
    const medianOf = (subject: Subject, figure: Figure) => median(all(subject, figure));
    const added = (subject: Subject, figure: Figure) => medianOf(subject, figure) - medianOf(small, figure);
    const each = (figure: Figure, of = medianOf) =>
      Object.fromEntries(large.map((subject) => [subject.name, of(subject, figure)]));
    const firstListMs = { "": medianOf(indexed, "firstListMs") };
    const rowOf = (name: string, figure: Figure) => [
      name,
      ...subjects.map((subject) => withRange(all(subject, figure))),
    ];
    return {
      tables: [
        {
          head: [`${count(cassettes)} cassettes`, ...subjects.map(({ name }) => name)],
          rows: [
            rowOf("start, ms", "startMs"),
            rowOf("first replay by id, ms", "replayMs"),
            rowOf("first listing after it, ms", "firstListMs"),
            rowOf("processor time up to it, ms", "cpuMs"),
            rowOf("later listings, ms", "listMs"),
            rowOf("memory, MiB", "memoryMib"),
            rowOf("a changed file is seen, ms", "changedMs"),
          ],
        },
      ],
      goals: [
        ...limit("start ≤ 2 s over a small folder", each("startMs", added), { atMost: 2_000, unit: " ms" }),
        ...limit("first replay by id ≤ 50 ms", each("replayMs"), { atMost: 50, unit: " ms" }),
        ...limit("listing ≤ 300 ms", each("listMs"), { atMost: 300, unit: " ms" }),
        ...limit("first listing with an index ≤ 300 ms", firstListMs, { atMost: 300, unit: " ms" }),
        ...limit("memory ≤ 150 MiB over a small folder", each("memoryMib", added), { atMost: 150, unit: " MiB" }),
      ],
      results: { results: Object.fromEntries([...results].map(([{ name }, each]) => [name, each])) },
    };
  },
});
