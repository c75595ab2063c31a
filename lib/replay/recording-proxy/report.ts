import * as z from "zod";
import type { JsonDifference } from "#lib/platform/json-difference";
import { similarSchema } from "./changing-text";
import { localSchema, sumLocal } from "./local-servers";
import { addUses, modelUseSchema, readUse } from "./model-use";
import { cassetteFileSchema } from "./tape-file";

const count = z.int().min(0).default(0);
const counts = [
  "requests",
  "played",
  "answered",
  "recorded",
  "passedThrough",
  "unreadable",
  "unwritten",
  "withheld",
  "redactions",
] as const;
const differencesSchema = z.array(z.looseObject({ pointer: z.string() })).transform((list) => list as JsonDifference[]);
const differingSchema = z.object({ file: z.string(), differences: differencesSchema });

const missSchema = z.object({
  test: z.string(),
  request: z.string(),
  /** Host that the client asked, if the request was intercepted on its way there. */
  host: z.string().optional(),
  /** What the client calls itself. */
  client: z.string().optional(),
  reason: z.string(),
  /** File of the nearest recording, and how the request differs from it. */
  nearest: differingSchema.nullable(),
  /** Whether it differs only in a few words from a recording that is not played, so that these may change in each run. */
  mayBeVolatile: z.boolean().optional(),
  /** Tapes of other tests that have exactly this request and that no test has used; `move`: the command that makes one this test's. */
  others: z.array(z.object({ test: z.string(), folder: z.string(), move: z.string().nullable() })).optional(),
  /** Why the test's hand-written answers were not given, if it has any. */
  answers: z.string().optional(),
  /** The command that records it. */
  record: z.string().optional(),
  /** In mode `auto`, why it was not recorded either. */
  failure: z.string().optional(),
});
export type Miss = z.infer<typeof missSchema>;

/** Most requests of a test whose differences are kept. */
const maxDetailedCount = 1_000;
/** Length of the differences of a test, as JSON, after which no more are kept, in UTF-16 units. */
const maxDetailsLength = 500_000;

/** Whether the recording was chosen by its order, or differs in what tools returned; else in volatile texts. */
const acceptedSchema = differingSchema.extend({
  /** Number of such requests, if that is not 1. */
  times: z.int().min(1).optional(),
  isByOrder: z.boolean().optional(),
  isInResults: z.boolean().optional(),
});
/** A request that was answered although it differs from the recorded one. */
export type AcceptedRequest = z.infer<typeof acceptedSchema>;

/** What a test's requests came to. */
export const reportSchema = z.object({
  test: z.string(),
  folder: z.string().min(1),
  requests: count,
  played: count,
  /** Requests that got a hand-written answer. */
  answered: count,
  recorded: count,
  /** Requests that went to the provider in mode `live`. */
  passedThrough: count,
  /** Requests whose tape or recording cannot be read. */
  unreadable: count,
  /** Answers and lists of recordings that could not be written, and answers that took longer than their test. */
  unwritten: count,
  /** Answers that were not stored because they, or their requests, may have a secret. */
  withheld: count,
  misses: z.array(missSchema).default([]),
  /** Servers that answered recorded requests in place of their hosts. */
  addresses: z.array(z.string()).default([]),
  /** Answers of servers on this machine that are not asked on purpose, by host. */
  local: localSchema.default({}),
  /** Files of recordings that no request asked for. */
  unused: z.array(cassetteFileSchema).default([]),
  /** Requests that were answered although they differ from the recorded ones. */
  accepted: z.array(acceptedSchema).default([]),
  /** Requests that were recorded although in few words they differ from a recording, which no request asked for by then. */
  again: z.array(similarSchema).default([]),
  /** What happened that the developer has to know, such as an incomplete answer. */
  notes: z.array(z.string()).default([]),
  /** What calls of models came to, those that were played and those that were recorded. */
  models: z.array(modelUseSchema).default([]),
  /** Recordings that were played although they are older than they should be, with their days if those are known. */
  old: z.array(z.object({ file: z.string(), day: z.iso.date().nullable() })).default([]),
  redactions: count,
  /** Where the first of these secrets were. */
  redacted: z.array(z.string()).default([]),
});
export type SessionReport = z.infer<typeof reportSchema>;

export function emptyReport(test: string, folder: string): SessionReport {
  return reportSchema.parse({ test, folder });
}

export function addUse(report: SessionReport, ...call: Parameters<typeof readUse>): void {
  const use = readUse(...call);
  if (use) report.models = addUses([...report.models, use]);
}

/** Longest text of a difference that is kept, and how much of it is from before the first change, in UTF-16 units. */
const maxTextLength = 1_200;
const leadLength = 200;
/** Length of other values that is kept: more than a line shows of their JSON. */
const maxJsonLength = 100;

/** Returns the part of two texts from the first to the last change, with what is around it. */
function changedParts(before: string, after: string): [string, string] {
  const shorter = Math.min(before.length, after.length);
  let first = 0;
  while (first < shorter && before[first] === after[first]) first += 1;
  let equal = 0;
  while (equal < shorter - first && before.at(-1 - equal) === after.at(-1 - equal)) equal += 1;
  const start = Math.max(0, first - leadLength);
  const cut = (text: string) => {
    const end = Math.min(text.length - equal + leadLength, start + maxTextLength - 2, text.length);
    return `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
  };
  return [cut(before), cut(after)];
}

/** Returns a value whose JSON begins as that of another one. */
function beginningOf(value: unknown, budget = { length: maxJsonLength }): unknown {
  if (typeof value === "string") {
    const text = value.slice(0, Math.max(0, budget.length));
    budget.length -= text.length;
    return text;
  }
  if (value === null || typeof value !== "object") return value;
  const entries: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    if (budget.length <= 0) break;
    budget.length -= Array.isArray(value) ? 1 : name.length + 3;
    entries.push([name, beginningOf(member, budget)]);
  }
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

/** Returns a difference with no more of its values than `describeDifference` shows of them. */
function shortenDifference({ pointer, before, after }: JsonDifference): JsonDifference {
  if (typeof before !== "string" || typeof after !== "string")
    return { pointer, before: beginningOf(before), after: beginningOf(after) };
  if (Math.max(before.length, after.length) <= maxTextLength) return { pointer, before, after };
  const [was, is] = changedParts(before, after);
  return { pointer, before: was, after: is };
}

/** Returns how many requests were answered although they differ. */
export function countAccepted(accepted: readonly AcceptedRequest[]): number {
  return accepted.reduce((sum, { times = 1 }) => sum + times, 0);
}

/** What is known of accepted requests: their differences as JSON, the length of these, and the last one of each file. */
type KeptDifferences = { names: Set<string>; length: number; last: Map<string, AcceptedRequest> };
const keptDifferences = new WeakMap<AcceptedRequest[], KeptDifferences>();

/**
 * Adds a request that was answered although it differs, with shortened differences: those that no earlier one of the test has,
 * as each turn of a conversation repeats those before it. By order, all are kept, since their fields are counted, until there
 * are very many. Without differences, it is only counted if an earlier one got the same recording.
 */
export function addAccepted(
  { accepted }: SessionReport,
  { differences, times = 1, ...request }: AcceptedRequest,
): void {
  const kept: KeptDifferences = keptDifferences.get(accepted) ?? { names: new Set(), length: 0, last: new Map() };
  keptDifferences.set(accepted, kept);
  const isFull = () => accepted.length >= maxDetailedCount || kept.length >= maxDetailsLength;
  const added: JsonDifference[] = [];
  for (const difference of differences) {
    if (isFull()) break;
    const short = shortenDifference(difference);
    const name = JSON.stringify([request.isInResults, short]);
    if (!request.isByOrder && kept.names.has(name)) continue;
    kept.names.add(name);
    kept.length += name.length;
    added.push(short);
  }
  const name = JSON.stringify([request.file, request.isByOrder, request.isInResults]);
  const last = kept.last.get(name);
  if (last && added.length === 0) {
    last.times = (last.times ?? 1) + times;
    return;
  }
  const counted = { ...request, differences: added, ...(times > 1 ? { times } : {}) };
  kept.last.set(name, counted);
  accepted.push(counted);
}

/** Returns one report of several runs of a test in one run of the command: retries, or tests of one name. */
export function addReports(earlier: SessionReport, later: SessionReport): SessionReport {
  const bounded: SessionReport = { ...later, accepted: [] };
  for (const request of [...earlier.accepted, ...later.accepted]) addAccepted(bounded, request);
  const sum: SessionReport = {
    ...bounded,
    misses: [...earlier.misses, ...later.misses],
    again: [...earlier.again, ...later.again.filter(({ file }) => earlier.again.every((each) => each.file !== file))],
    notes: [...new Set([...earlier.notes, ...later.notes])],
    addresses: [...new Set([...earlier.addresses, ...later.addresses])],
    local: sumLocal([earlier, later]),
    redacted: [...new Set([...earlier.redacted, ...later.redacted])],
    models: addUses([...earlier.models, ...later.models]),
    old: [...earlier.old, ...later.old.filter(({ file }) => earlier.old.every((each) => each.file !== file))],
  };
  for (const name of counts) sum[name] += earlier[name];
  return sum;
}

/** Returns how many recordings a run did not use. */
export function countUnused(reports: readonly SessionReport[]): number {
  return reports.reduce((sum, { unused }) => sum + unused.length, 0);
}

/** Returns how many requests of a run were missed: no recording has them, or their answers could not be stored. */
export function countMissed(reports: readonly SessionReport[]): number {
  return reports.reduce((sum, { misses, unwritten }) => sum + misses.length + unwritten, 0);
}

/** Returns how many requests of a run a recording answered that differs in what tools returned. */
export function countInResults(reports: readonly SessionReport[]): number {
  return countAccepted(reports.flatMap(({ accepted }) => accepted.filter(({ isInResults }) => isInResults)));
}

/** Returns how many requests of a run no recording answered: those without one, and those whose tape cannot be read. */
export function countUnanswered(reports: readonly SessionReport[]): number {
  return reports.reduce((sum, { misses, unreadable }) => sum + misses.length + unreadable, 0);
}
