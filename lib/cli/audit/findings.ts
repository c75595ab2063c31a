import { caveatOf, dayOf, keyOf, type Model, type ModelCatalogue, type ModelStatus } from "#lib/models/index";
import { dayMs } from "#lib/platform/time";
import type { RecordedCall } from "#lib/replay/recording-proxy/index";
import type { OperationFinding } from "./operations";
import type { CodeName } from "./read-code";

/** A model, or a name that no catalogue has, with what uses it. */
export type Finding = {
  /** As requests and code call it. */
  names: string[];
  /** Null if it is not known. */
  provider: string | null;
  id: string | null;
  status: ModelStatus;
  /** Day from which it does not answer. */
  retired: string | null;
  /** Days until then; negative once it has passed. */
  days_left: number | null;
  retired_not_before: string | null;
  /** Whether that earliest day has passed, and no end is announced. */
  may_end: boolean;
  /** As `provider/id`: the first recommended one, or of its successors, that does not end. */
  successor: string | null;
  /** What is known of its end, where no successor is without one. */
  successor_end: Pick<Model, "status" | "retired" | "may_end"> | null;
  /** Price of the successor as a multiple of the model's. */
  price_ratio: { input: number; output: number } | null;
  /** As `provider/id`: of the model and its successor, those whose price is not known. */
  unpriced: string[];
  /** Whose dates these are, where a name or host is that of a cloud without an entry of its own. */
  caveats: string[];
  recordings: number;
  /** `file`: one of its recordings. */
  tests: { test: string; recordings: number; file: string }[];
  code: { file: string; line: number }[];
  sources: Model["sources"];
};

/** Recorded `Deprecation` and `Sunset` headers of one value. */
export type HeaderFinding = {
  header: "Deprecation" | "Sunset";
  value: string;
  /** Day that the value names; null if it is none. */
  day: string | null;
  model: string | null;
  recordings: number;
  tests: string[];
  /** One of the recordings. */
  file: string;
};

export type Findings = {
  models: Finding[];
  headers: HeaderFinding[];
  /** Null if no server was asked. */
  operations: OperationFinding[] | null;
  unnamed: number;
};

/** What of a call concerns models. */
type ModelCall = Omit<RecordedCall, "operation" | "recordedAt">;

function daysUntil(day: string, now: Date): number {
  return Math.round((Date.parse(day) - Date.parse(dayOf(now))) / dayMs);
}

function ratioOf(from: Model, to: Model | undefined): Finding["price_ratio"] {
  if (!from.price?.input || !from.price.output || !to?.price) return null;
  const ratio = (after: number, before: number) => Math.round((after / before) * 100) / 100;
  return { input: ratio(to.price.input, from.price.input), output: ratio(to.price.output, from.price.output) };
}

function newFinding(model: Model | undefined, catalogue: ModelCatalogue, now: Date): Finding {
  const successor = model?.successor ?? null;
  const next = successor ? catalogue.get(successor.provider, successor.id) : undefined;
  return {
    names: [],
    provider: model?.provider ?? null,
    id: model?.id ?? null,
    status: model?.status ?? "unknown",
    retired: model?.retired ?? null,
    days_left: model?.retired ? daysUntil(model.retired, now) : null,
    retired_not_before: model?.retired_not_before ?? null,
    may_end: model?.may_end ?? false,
    successor: successor && keyOf(successor),
    successor_end:
      next && isEnding(next) ? { status: next.status, retired: next.retired, may_end: next.may_end } : null,
    price_ratio: model ? ratioOf(model, next) : null,
    unpriced: [
      ...(model && !model.price ? [keyOf(model)] : []),
      ...(successor && !next?.price ? [keyOf(successor)] : []),
    ],
    caveats: [],
    recordings: 0,
    tests: [],
    code: [],
    sources: model?.sources ?? [],
  };
}

/** Returns the day of RFC 9745's `@<seconds>`, or of a date as in HTTP. */
function dayOfHeader(value: string): string | null {
  const seconds = /^@(\d+)$/.exec(value)?.[1];
  const time = new Date(seconds === undefined ? value : Number(seconds) * 1000);
  return Number.isNaN(time.getTime()) ? null : dayOf(time);
}

function findHeaders(calls: readonly ModelCall[]): HeaderFinding[] {
  const found = new Map<string, HeaderFinding>();
  for (const { deprecation, sunset, model, test, file } of calls) {
    for (const [header, value] of [["Deprecation", deprecation] as const, ["Sunset", sunset] as const]) {
      if (value === null) continue;
      const key = JSON.stringify([header, value, model]);
      const known = found.get(key) ?? { header, value, day: dayOfHeader(value), model, recordings: 0, tests: [], file };
      known.recordings += 1;
      if (!known.tests.includes(test)) known.tests.push(test);
      found.set(key, known);
    }
  }
  return [...found.values()];
}

const order: Readonly<Record<ModelStatus, number>> = { retired: 0, deprecated: 1, unknown: 2, active: 3 };

/** A model that may end at any time counts like one that is deprecated. */
const rankOf = ({ status, may_end: mayEnd }: Finding) => (mayEnd ? order.deprecated : order[status]);

function compareFindings(a: Finding, b: Finding): number {
  const byEnd = (a.days_left ?? Infinity) - (b.days_left ?? Infinity);
  return rankOf(a) - rankOf(b) || byEnd || b.recordings - a.recordings || b.code.length - a.code.length;
}

/** Whether a model has ended, will, or may at any time. */
export function isEnding({ status, may_end: mayEnd }: Pick<Finding, "status" | "may_end">): boolean {
  return status === "retired" || status === "deprecated" || mayEnd;
}

/** Returns by model what recordings and code use: first what has ended, then what ends first. */
export function findModels(
  { calls, code }: { calls: readonly ModelCall[]; code: readonly CodeName[] },
  catalogue: ModelCatalogue,
  now: Date,
): Findings {
  const found = new Map<string, Finding>();
  const findingOf = (name: string, host?: string) => {
    const model = catalogue.names.find(name, host);
    const key = model ? keyOf(model) : `/${name}`;
    const finding = found.get(key) ?? newFinding(model, catalogue, now);
    found.set(key, finding);
    if (!finding.names.includes(name)) finding.names.push(name);
    const caveat = model && caveatOf(name, model, host);
    if (caveat && !finding.caveats.includes(caveat)) finding.caveats.push(caveat);
    return finding;
  };
  for (const { model, host, test, file } of calls) {
    if (model === null) continue;
    const finding = findingOf(model, host);
    finding.recordings += 1;
    const known = finding.tests.find((each) => each.test === test);
    if (known) known.recordings += 1;
    else finding.tests.push({ test, recordings: 1, file });
  }
  for (const { name, file, line } of code) findingOf(name).code.push({ file, line });
  return {
    models: [...found.values()].sort(compareFindings),
    headers: findHeaders(calls),
    operations: null,
    unnamed: calls.filter(({ model }) => model === null).length,
  };
}
