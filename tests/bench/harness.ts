/** What a benchmark is, and what benchmarks share: taking turns, quantiles, and numbers in tables. */

type NumberOption = { default: number | number[]; quick?: number | number[]; min: number; max: number; about: string };
export type Option = NumberOption | { default: string | boolean; about: string };
export type Options = Record<string, Option>;

type Widened<Default> = Default extends number
  ? number
  : Default extends boolean
    ? boolean
    : Default extends string
      ? string
      : number[];
type Values<Of extends Options> = { [Name in keyof Of]: Widened<Of[Name]["default"]> };

/** `under` is the heading of the docs page whose table `--publish` replaces. */
export type Table = { under?: string; head: string[]; rows: string[][] };
export type Goal = { goal: string; measured: string; isMet: boolean };

export type Outcome = {
  tables: Table[];
  goals?: Goal[];
  /** The raw numbers, for `.tapedeck/bench/<name>.json`. */
  results: object;
  /** An SVG, for `.tapedeck/bench/<name>.svg`. */
  chart?: string;
  /** Sentences for the paragraph of the docs page that says when and where this was measured. */
  notes?: string[];
};

export type Tools = {
  /** Prints a line of progress. */
  say: (line: string) => void;
  /** Registers what to stop or remove after the run, also if it fails. The last registered is called first. */
  cleanUp: (end: () => unknown) => void;
  /** Creates a folder that is removed after the run. */
  makeFolder: () => Promise<string>;
  /** Whether `--quick` was given. */
  isQuick: boolean;
};

export type Bench<Of extends Options = Options> = {
  /** What is measured, for `--help`. */
  about: string;
  options: Of;
  /** The docs page with the results, if `--publish` can update it; `goals` is the heading of its table of goals. */
  page?: { name: string; goals?: string };
  run: (values: Values<Of>, tools: Tools) => Promise<Outcome>;
};

/** Returns a benchmark with the types of its options. */
export function defineBench<const Of extends Options>(bench: Bench<Of>): Bench {
  return bench as unknown as Bench;
}

/**
 * Measures every subject once a round, so that a slow moment of the machine meets all. Each round starts with the next one, so
 * that none always follows the same one. Returns the results of each subject, in the order of the subjects.
 */
export async function takeTurns<Subject, Result>(
  subjects: readonly Subject[],
  roundCount: number,
  measure: (subject: Subject, round: number) => Promise<Result>,
): Promise<Result[][]> {
  const results = subjects.map((): Result[] => []);
  for (let round = 0; round < roundCount; round++) {
    for (let turn = 0; turn < subjects.length; turn++) {
      const index = (round + turn) % subjects.length;
      results[index]!.push(await measure(subjects[index]!, round));
    }
  }
  return results;
}

/** Runs `work` with the numbers from 0 to `count`, `concurrency` at a time. */
export async function inParallel(count: number, concurrency: number, work: (index: number) => Promise<unknown>) {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/** Returns how long `work` took, in milliseconds. */
export async function timeOf(work: () => unknown): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/**
 * Returns the value at `quantile` (0 to 1) of ascending `sorted`, by the nearest-rank method: the smallest value that at
 * least that share of all values does not exceed. It is always a measured value, never an interpolation.
 * NaN for an empty set.
 */
export function quantileOfSorted(sorted: ArrayLike<number>, quantile: number): number {
  if (sorted.length === 0) return Number.NaN;
  const rank = Math.ceil(quantile * sorted.length);
  return sorted[Math.min(Math.max(rank, 1), sorted.length) - 1]!;
}

/** Median, 99th percentile and maximum, in milliseconds. */
export type Spread = { p50Ms: number; p99Ms: number; maxMs: number };

export function spreadOf(values: ArrayLike<number>): Spread {
  const sorted = Float64Array.from(values).sort();
  const [p50Ms, p99Ms, maxMs] = [0.5, 0.99, 1].map((quantile) => quantileOfSorted(sorted, quantile));
  return { p50Ms: p50Ms!, p99Ms: p99Ms!, maxMs: maxMs! };
}

/** Returns the median: the lower of the two middle values for an even count. Values that are NaN are left out; NaN if empty. */
export function median(values: readonly number[]): number {
  return spreadOf(values.filter((value) => !Number.isNaN(value))).p50Ms;
}

/** Returns a number with at most three significant digits, so that tables do not suggest more precision than measured. */
export function format(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString("en");
  if (size >= 1) return value.toFixed(size >= 10 ? 0 : 1);
  return String(Number(value.toPrecision(2)));
}

/** Returns the median of several runs, with minimum and maximum in brackets. */
export function withRange(values: readonly number[]): string {
  const middle = format(median(values));
  return values.length < 2 ? middle : `${middle} (${format(Math.min(...values))}–${format(Math.max(...values))})`;
}

export const count = (value: number) => value.toLocaleString("en");
export const ratio = (value: number, to: number) => `${format(value / to)} ×`;

/** Compares measured values by name with a limit; all have to keep it. Values that are NaN were not measured. */
export function limit(
  goal: string,
  measured: Record<string, number>,
  { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY, unit = "" },
): Goal[] {
  const known = Object.entries(measured).filter(([, value]) => !Number.isNaN(value));
  if (known.length === 0) return [];
  const text = known.map(([name, value]) => `${name === "" ? "" : `${name}: `}${format(value)}${unit}`).join(", ");
  return [{ goal, measured: text, isMet: known.every(([, value]) => value <= atMost && value >= atLeast) }];
}

/** Returns a Markdown table. */
export function markdown({ head, rows }: Table): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
