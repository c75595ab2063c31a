import { caveatOf, dayOf, keyOf, type Model, type ModelCatalogue, type ModelStatus } from "#lib/models/index";
import { dayMs } from "#lib/platform/time";
import type { RecordedCall, TapeConfig } from "#lib/replay/recording-proxy/index";
import type { OperationFinding } from "./operations";
import type { CodeName } from "./read-code";

/** A model, or a name that no catalogue has, with what uses it. */
export type Finding = {
  /** As requests and code call it; in brackets what answers call it, if no other name is known. */
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
  /** Recordings in which the provider answers that it does not have the model. */
  gone: number;
  /** `file`: one of its recordings. */
  tests: { test: string; recordings: number; file: string }[];
  code: { file: string; line: number }[];
  /** Exceptions of the configuration that cover a use, and whether those that have not expired cover all. */
  kept: (TapeConfig["keep_models"][number] & { expired: boolean })[];
  is_kept: boolean;
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
  is_kept: boolean;
};

export type Findings = {
  models: Finding[];
  headers: HeaderFinding[];
  /** Null if no server was asked. */
  operations: OperationFinding[] | null;
  /** Recordings of calls of models of which neither the request nor the answer names one. */
  unnamed: number;
};

/** What of a call concerns models. */
type ModelCall = Omit<RecordedCall, "operation" | "recordedAt">;

type Naming = Pick<ModelCall, "model" | "answered" | "host">;

/** Returns the model that a call asked: by the name in the request, else by that in the answer. */
export function modelOfCall({ model, answered, host }: Naming, { names }: ModelCatalogue): Model | undefined {
  const [asked, given] = [model, answered].map((name) => (name === null ? undefined : names.find(name, host)));
  return asked ?? given;
}

/**
 * Returns calls with the name in the answers to others of the same name and host where their own, such as an error, has none.
 * A call that names no model says nothing of others.
 */
export function shareAnswers<Call extends Naming>(calls: readonly Call[]): Call[] {
  const keyOfCall = ({ model, host }: Naming) => (model === null ? null : JSON.stringify([host, model]));
  const known = new Map(calls.flatMap((call) => (call.answered === null ? [] : [[keyOfCall(call), call.answered]])));
  known.delete(null);
  return calls.map((call) => ({ ...call, answered: call.answered ?? known.get(keyOfCall(call)) ?? null }));
}

/** Returns how a call is shown: `prod-chat (gpt-5-mini-2025-08-07)`; null if neither side names a model. */
function shownName({ model, answered, host }: Naming, { names }: ModelCatalogue): string | null {
  if (model === null || answered === null) return model ?? answered;
  return !names.find(model, host) && names.find(answered, host) ? `${model} (${answered})` : model;
}

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
    gone: 0,
    tests: [],
    code: [],
    kept: [],
    is_kept: false,
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
      const counts = { recordings: 0, tests: [], is_kept: false };
      const known = found.get(key) ?? { header, value, day: dayOfHeader(value), model, file, ...counts };
      known.recordings += 1;
      if (!known.tests.includes(test)) known.tests.push(test);
      found.set(key, known);
    }
  }
  return [...found.values()];
}

const order: Readonly<Record<ModelStatus, number>> = { retired: 0, deprecated: 1, unknown: 2, active: 3 };

/** A model that may end at any time counts like one that is deprecated. */
const rankOf = (finding: Finding) =>
  isGone(finding) ? order.retired : finding.may_end ? order.deprecated : order[finding.status];

function compareFindings(a: Finding, b: Finding): number {
  const byEnd = (a.days_left ?? Infinity) - (b.days_left ?? Infinity);
  return rankOf(a) - rankOf(b) || byEnd || b.recordings - a.recordings || b.code.length - a.code.length;
}

/** Whether the provider has answered each request that it does not have the model. */
export const isGone = ({ gone, recordings }: Pick<Finding, "gone" | "recordings">) => gone > 0 && gone === recordings;

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
  /** Of the names in requests. */
  const recorded = new Map<string, { shown: string; model: Model | undefined }>();
  const findingOf = (name: string, shown: string, model: Model | undefined, host?: string) => {
    const key = model ? keyOf(model) : `/${name}`;
    const finding = found.get(key) ?? newFinding(model, catalogue, now);
    found.set(key, finding);
    if (!finding.names.includes(shown)) finding.names.push(shown);
    const caveat = model && caveatOf(name, model, host);
    if (caveat && !finding.caveats.includes(caveat)) finding.caveats.push(caveat);
    return finding;
  };
  for (const call of shareAnswers(calls)) {
    const { host, test, file } = call;
    const shown = shownName(call, catalogue);
    if (shown === null) continue;
    const name = call.model ?? shown;
    const model = modelOfCall(call, catalogue);
    recorded.set(name, { shown, model });
    const finding = findingOf(name, shown, model, host);
    finding.recordings += 1;
    if (call.isGone) finding.gone += 1;
    const known = finding.tests.find((each) => each.test === test);
    if (known) known.recordings += 1;
    else finding.tests.push({ test, recordings: 1, file });
  }
  for (const { name, file, line } of code) {
    const model = catalogue.names.find(name);
    const { shown, model: meant } = (model ? undefined : recorded.get(name)) ?? { shown: name, model };
    findingOf(name, shown, meant).code.push({ file, line });
  }
  return {
    models: [...found.values()].sort(compareFindings),
    headers: findHeaders(calls),
    operations: null,
    unnamed: calls.filter(({ model, answered, asksModel }) => asksModel && (model ?? answered) === null).length,
  };
}
