import { randomFrom } from "#tests/support/seeded-random";
import { type Spread, spreadOf, timeOf } from "../harness";
import { type Engine, type EngineName, engines } from "./engines";
import type { PlainDocument } from "./judged-set";

/** Cost of an engine at a number of documents. Memory is the increase since before the first document. */
export type Cost = {
  documentCount: number;
  indexMs: number;
  /** JavaScript heap and typed arrays. */
  heapMiB: number;
  rssMiB: number;
  times: Spread;
  /** Of the same queries with a typo in each longer word. */
  typoTimes: Spread;
};

const vocabularySize = 60_000;
/** Exponent of Zipf's law, as measured for English. */
const exponent = 1.07;
/** Query words of a lower rank are drawn again, because people omit the most frequent words. */
const frequentRank = 30;
const endings = ["", "", "", "s", "ed", "ing", "ation", "ly", "er"];
const [onsets, nuclei] = ["b c d f g h j k l m n p r s t v w st tr pl".split(" "), "a e i o u ea".split(" ")];

/** Generates documents of about 305 words by Zipf's law, and queries of one to four words; the same for the same seed. */
function generateTexts(seed: number) {
  const random = randomFrom(seed);
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] as string;
  // Distinct pronounceable words, many of which are forms of one stem.
  const words = new Set<string>();
  while (words.size < vocabularySize) {
    const syllables = Array.from({ length: 1 + Math.ceil(random() * 3) }, () => pick(onsets!) + pick(nuclei!));
    words.add(`${syllables.join("")}${pick(onsets!)}${pick(endings)}`);
  }
  const vocabulary = [...words];
  const shares = new Float64Array(vocabularySize);
  let total = 0;
  for (let rank = 0; rank < vocabularySize; rank++) {
    total += 1 / (rank + 1) ** exponent;
    shares[rank] = total;
  }
  const drawRank = () => {
    const wanted = random() * total;
    let [low, high] = [0, vocabularySize - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (shares[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const draw = (length: number) => Array.from({ length }, () => vocabulary[drawRank()]).join(" ");
  const document = (number: number): PlainDocument => {
    const [title, lead] = [draw(6), draw(12)];
    return { id: `doc-${number}`, title, lead, body: Array.from({ length: 7 }, () => `${draw(41)}.`).join("\n") };
  };
  const query = () => {
    const length = 1 + Math.floor(random() * 4);
    const chosen: string[] = [];
    while (chosen.length < length) {
      const rank = drawRank();
      if (rank >= frequentRank) chosen.push(vocabulary[rank]!);
    }
    return chosen.join(" ");
  };
  return { document, query };
}

const hitCount = 10;
const warmUpCount = 100;
const mebibyte = 1024 * 1024;

function memory(): { heap: number; rss: number } {
  for (let pass = 0; pass < 4; pass++) globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, rss };
}

/** Returns the times of the queries, each the median of three, so that other work of the machine does not affect the result. */
async function timesOf(engine: Engine, queries: readonly string[]): Promise<Spread> {
  const times: number[] = [];
  for (const q of queries) {
    const passes: number[] = [];
    while (passes.length < 3) passes.push(await timeOf(() => engine.rank(q, hitCount)));
    times.push(passes.sort((a, b) => a - b)[1]!);
  }
  return spreadOf(times);
}

/** Drops the third letter of each word of five letters or more. */
const misspell = (q: string) => q.replace(/\b(\w\w)\w(\w\w+)/g, "$1$2");

/** Measures an engine, in a process of its own. */
export async function engineCost(name: EngineName, documentCount: number, queryCount: number) {
  const texts = generateTexts(20_261_121);
  const before = memory();
  const engine = engines[name]();
  let indexMs = 0;
  for (let number = 0; number < documentCount; number++) {
    const document = texts.document(number);
    const startMs = performance.now();
    await engine.add(document);
    indexMs += performance.now() - startMs;
  }
  indexMs += await timeOf(() => engine.finish());
  for (let query = 0; query < warmUpCount; query++) await engine.rank(texts.query(), hitCount);
  const after = memory();
  const queries = Array.from({ length: queryCount }, texts.query);
  const ready: Cost = {
    documentCount,
    indexMs,
    heapMiB: (after.heap - before.heap) / mebibyte,
    rssMiB: (after.rss - before.rss) / mebibyte,
    times: await timesOf(engine, queries),
    typoTimes: await timesOf(engine, queries.map(misspell)),
  };
  return { ready, answer: () => null };
}
