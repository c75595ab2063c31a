import { count, defineBench, format, limit } from "../harness";
import { type Counted, counted } from "./fidelity";
import { type FirstByte, measureFirstAnswer, measureFirstByte, measureThroughput } from "./own-costs";
import {
  answerDurationMs,
  type Fidelity,
  measureFidelity,
  measureSuite,
  measureWrongAnswers,
  type WrongAnswers,
} from "./side-by-side";
import { bundledStreams } from "./streams";
import { aimock, type Subject, tapedeck } from "./subjects";

const clientText = "8 clients";

type Side = { name: string; fidelity: Fidelity[]; wrong: WrongAnswers[]; suiteMs: number; fastMs: number };

async function measureSide(subject: Subject, callCount: number): Promise<Side> {
  return {
    name: subject.name,
    fidelity: await measureFidelity(subject, bundledStreams()),
    wrong: await measureWrongAnswers(subject),
    suiteMs: await measureSuite(subject, callCount, false),
    fastMs: await measureSuite(subject, callCount, true),
  };
}

function tablesOf(sides: readonly Side[], callCount: number) {
  const names = sides.map(({ name }) => name);
  const identical = ({ fidelity }: Side) =>
    `${fidelity.filter(({ kept }) => kept.isIdentical).length} of ${fidelity.length}`;
  const share = ({ fidelity }: Side, name: Counted) => {
    const sum = (part: "kept" | "of") => fidelity.reduce((total, { kept }) => total + kept[name][part], 0);
    return `${count(sum("kept"))} of ${count(sum("of"))}`;
  };
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
  const suite = (name: string, pick: (side: Side) => number) => {
    const [own, other] = sides.map(pick) as [number, number];
    return [name, seconds(own), seconds(other), `${format(other / own)} ×`];
  };
  return [
    {
      head: ["Kept in replay", ...names],
      rows: [
        ["streams with the same bytes", ...sides.map(identical)],
        ...counted.map((name) => [name, ...sides.map((side) => share(side, name))]),
      ],
    },
    {
      head: ["Answered after a change of", ...names],
      rows: sides[0]!.wrong.map(({ change, of }, index) => [
        change,
        ...sides.map(({ wrong }) => `${wrong[index]?.answered} of ${of}`),
      ]),
    },
    {
      head: [`Suite of ${callCount} calls of ${answerDurationMs} ms`, ...names, "aimock ÷ tapedeck"],
      rows: [suite("with default settings", ({ suiteMs }) => suiteMs), suite("at full speed", ({ fastMs }) => fastMs)],
    },
  ];
}

/** Returns the middle one of three rounds: other programs of the machine slow down a round as a whole. */
async function medianFirstByte(requestCount: number, kilobytes: number): Promise<FirstByte> {
  const rounds: FirstByte[] = [];
  while (rounds.length < 3) rounds.push(await measureFirstByte(requestCount, kilobytes));
  return rounds.sort((a, b) => a.addedP50Ms - b.addedP50Ms)[1]!;
}

export const bench = defineBench({
  about: `Records and replays the streams of content/cassettes with Tapedeck's proxy and with aimock, and measures the proxy.`,
  options: {
    calls: { default: 200, quick: 10, min: 10, max: 2_000, about: "calls of the suite that both replay" },
    tapes: { default: 10_000, quick: 100, min: 100, max: 10_000, about: "recordings in the large folders" },
    requests: { default: 4_000, quick: 400, min: 400, max: 100_000, about: "requests of the throughput" },
  },
  async run({ calls, tapes, requests }, { say }) {
    const sides: Side[] = [];
    for (const subject of [tapedeck, aimock]) {
      sides.push(await measureSide(subject, calls));
      say(`${subject.name}: streams, changed requests and suite`);
    }
    for (const { name, fidelity } of sides) {
      const refused = fidelity
        .filter(({ status }) => status !== 200)
        .map(({ stream, status }) => `${stream} (${status})`);
      if (refused.length > 0) say(`${name} did not replay ${refused.join(", ")}`);
    }
    const throughput = await measureThroughput(requests);
    say(`tapedeck: ${format(throughput.perSecond)} requests a second, ${clientText}`);
    const firstBytes = [
      await medianFirstByte(Math.round(requests * 0.15), 1),
      await medianFirstByte(Math.round(requests * 0.075), 200),
    ];
    const oneTape = await measureFirstAnswer(1, tapes, 5);
    const manyTapes = await measureFirstAnswer(tapes, 1, 5);
    const own = { ...throughput, firstBytes, oneTape, manyTapes };
    const [mine] = sides as [Side];
    const changed = mine.fidelity.filter(({ kept }) => !kept.isIdentical).length;
    const answered = mine.wrong.reduce((sum, each) => sum + each.answered, 0);
    const answers = { [`${tapes} recordings`]: oneTape.answerMs, [`${tapes} tapes`]: manyTapes.answerMs };
    const added = Object.fromEntries(firstBytes.map(({ kilobytes, addedP50Ms }) => [`${kilobytes} kB`, addedP50Ms]));
    const goals = [
      ...limit("every stream has the same bytes", { changed }, { atMost: 0 }),
      ...limit("no wrong answer", { answered }, { atMost: 0 }),
      ...limit("requests a second of processor time ≥ 200", { "": throughput.perCpuSecond }, { atLeast: 200 }),
      ...limit("first byte ≤ 2 ms later while recording, at p50", added, { atMost: 2, unit: " ms" }),
      ...limit("first answer ≤ 1 s after the start", answers, { atMost: 1_000, unit: " ms" }),
    ];
    const costs = [
      [`requests a second, ${clientText}`, throughput.perSecond.toFixed(0)],
      ...firstBytes.map(({ kilobytes, bareP50Ms, recordedP50Ms }) => [
        `first byte at p50, request of ${kilobytes} kB`,
        `${format(bareP50Ms)} ms bare, ${format(recordedP50Ms)} ms while recording`,
      ]),
      ["loading the program before the first answer", `${format(oneTape.loadMs)} ms`],
      [`--complete with ${count(tapes)} tapes`, `${format(manyTapes.completeMs)} ms`],
    ];
    return {
      tables: [...tablesOf(sides, calls), { head: ["Tapedeck", "Measured"], rows: costs }],
      goals,
      results: { sides, own },
    };
  },
});
