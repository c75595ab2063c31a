import { runWithNumbers, writeResults } from "../bench-command";
import { stopAll } from "../replay/processes";
import { table } from "../replay/report-format";
import { type Counted, counted } from "./fidelity";
import { type FirstAnswer, type FirstByte, measureFirstAnswer, measureFirstByte, measureThroughput } from "./own-costs";
import {
  answerDurationMs,
  type Fidelity,
  measureFidelity,
  measureSuite,
  measureWrongAnswers,
  type WrongAnswers,
} from "./side-by-side";
import { bundledStreams } from "./streams";
import { installAimock, type Subject, tapedeck } from "./subjects";

const helpText = `Usage: npm run bench -- recording [--calls <n>] [--tapes <n>]

Records and replays the streams of content/cassettes with Tapedeck's proxy and with aimock, and measures the proxy.

Options:
  --calls <n>  calls of the suite that both replay, 10 to 2,000 (default: 200)
  --tapes <n>  recordings in the large folders, 100 to 10,000 (default: 10000)
  --help       this text

Installs aimock from the npm registry in a temporary folder. Writes .tapedeck/bench/recording.json. Exits with 1 if Tapedeck
changes a stream, gives a wrong answer, or misses one of its targets.`;

const targets = { perCpuSecond: 200, addedP50Ms: 2, firstAnswerMs: 1000 };
const firstAnswerRuns = 5;

type Side = {
  name: string;
  version: string;
  fidelity: Fidelity[];
  wrong: WrongAnswers[];
  suiteMs: number;
  fastMs: number;
};

async function measureSide(subject: Subject, callCount: number): Promise<Side> {
  console.log(`${subject.name}: streams, changed requests, suite`);
  return {
    name: subject.name,
    version: subject.version,
    fidelity: await measureFidelity(subject, bundledStreams()),
    wrong: await measureWrongAnswers(subject),
    suiteMs: await measureSuite(subject, callCount, false),
    fastMs: await measureSuite(subject, callCount, true),
  };
}

function fidelityRows(sides: readonly Side[]): string[][] {
  const share = ({ fidelity }: Side, name: Counted) => {
    const sum = (pick: (each: Fidelity) => number) => fidelity.reduce((total, each) => total + pick(each), 0);
    return `${sum(({ kept }) => kept[name].kept).toLocaleString("en")} of ${sum(({ kept }) => kept[name].of).toLocaleString("en")}`;
  };
  const identical = ({ fidelity }: Side) =>
    `${fidelity.filter(({ kept }) => kept.isIdentical).length} of ${fidelity.length}`;
  return [
    ["streams with the same bytes", ...sides.map(identical)],
    ...counted.map((name) => [name, ...sides.map((side) => share(side, name))]),
  ];
}

function printSides(sides: readonly Side[], callCount: number): void {
  const names = sides.map(({ name, version }) => `${name} (${version})`);
  console.log(`\n${table(["Kept", ...names], fidelityRows(sides))}`);
  const [first] = sides;
  const wrongRows = (first?.wrong ?? []).map(({ change, of }, index) => [
    change,
    ...sides.map(({ wrong }) => `${wrong[index]?.answered} of ${of}`),
  ]);
  console.log(`\n${table(["Answered after a change of", ...names], wrongRows)}`);
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  const liveMs = callCount * answerDurationMs;
  const suiteRows = [
    ["as they are", ...sides.map(({ suiteMs }) => seconds(suiteMs))],
    ["at full speed", ...sides.map(({ fastMs }) => seconds(fastMs))],
  ];
  console.log(`\n${table([`${callCount} calls (upstream: ${seconds(liveMs)})`, ...names], suiteRows)}`);
  for (const { name, fidelity } of sides) {
    const refused = fidelity
      .filter(({ status }) => status !== 200)
      .map(({ stream, status }) => `${stream} (${status})`);
    if (refused.length > 0) console.log(`\n${name} did not replay ${refused.join(", ")}`);
  }
}

type Own = {
  perCpuSecond: number;
  perSecond: number;
  firstBytes: FirstByte[];
  oneTape: FirstAnswer;
  manyTapes: FirstAnswer;
};

function printOwn({ perCpuSecond, perSecond, firstBytes, oneTape, manyTapes }: Own, count: number): void {
  const rows = [
    ["requests a second, 8 clients", perSecond.toFixed(0), ""],
    ["requests a second of processor time", perCpuSecond.toFixed(0), `≥ ${targets.perCpuSecond}`],
    ...firstBytes.map(({ requestKilobytes, bareP50Ms, recordedP50Ms, addedP50Ms }) => [
      `first byte while recording, request of ${requestKilobytes} kB`,
      `${addedP50Ms.toFixed(2)} ms more at p50 (${bareP50Ms.toFixed(2)} ms, ${recordedP50Ms.toFixed(2)} ms)`,
      `< ${targets.addedP50Ms} ms`,
    ]),
    [
      `first answer, ${count} recordings in one tape`,
      `${oneTape.answerMs.toFixed(0)} ms`,
      `< ${targets.firstAnswerMs} ms`,
    ],
    [`first answer, ${count} tapes`, `${manyTapes.answerMs.toFixed(0)} ms`, `< ${targets.firstAnswerMs} ms`],
    ["loading the program before that", `${oneTape.loadMs.toFixed(0)} ms`, ""],
    [`--complete with ${count} tapes`, `${manyTapes.completeMs.toFixed(0)} ms`, ""],
  ];
  console.log(`\n${table(["Tapedeck", "Measured", "Target"], rows)}`);
}

/** Returns the middle one of three rounds: other programs of the machine slow down a round as a whole. */
async function medianFirstByte(requestCount: number, kilobytes: number): Promise<FirstByte> {
  const rounds: FirstByte[] = [];
  while (rounds.length < 3) rounds.push(await measureFirstByte(requestCount, kilobytes));
  return rounds.sort((a, b) => a.addedP50Ms - b.addedP50Ms)[1] as FirstByte;
}

async function measureOwn(recordingCount: number): Promise<Own> {
  console.log("tapedeck: throughput, first byte, first answer");
  return {
    ...(await measureThroughput(4_000)),
    firstBytes: [await medianFirstByte(600, 1), await medianFirstByte(300, 200)],
    oneTape: await measureFirstAnswer({ tapeCount: 1, recordingCount }, firstAnswerRuns),
    manyTapes: await measureFirstAnswer({ tapeCount: recordingCount, recordingCount: 1 }, firstAnswerRuns),
  };
}

function isGood(own: Side, costs: Own): boolean {
  return (
    own.fidelity.every(({ kept }) => kept.isIdentical) &&
    own.wrong.every(({ answered }) => answered === 0) &&
    costs.perCpuSecond >= targets.perCpuSecond &&
    costs.firstBytes.every(({ addedP50Ms }) => addedP50Ms < targets.addedP50Ms) &&
    [costs.oneTape, costs.manyTapes].every(({ answerMs }) => answerMs < targets.firstAnswerMs)
  );
}

async function runBench(callCount: number, recordingCount: number): Promise<number> {
  const aimock = await installAimock();
  try {
    const sides: Side[] = [];
    for (const subject of [tapedeck, aimock]) sides.push(await measureSide(subject, callCount));
    const own = await measureOwn(recordingCount);
    printSides(sides, callCount);
    printOwn(own, recordingCount);
    await writeResults("recording", { callCount, recordingCount, sides, own });
    return isGood(sides[0] as Side, own) ? 0 : 1;
  } finally {
    await stopAll();
    await aimock.remove();
  }
}

/** `npm run bench -- recording`: returns the exit code. */
export function main(commandLine: string[]): Promise<number> {
  const numbers = { calls: { default: 200, min: 10, max: 2_000 }, tapes: { default: 10_000, min: 100, max: 10_000 } };
  return runWithNumbers({ commandLine, helpText, numbers }, ({ calls, tapes }) => runBench(calls, tapes));
}
