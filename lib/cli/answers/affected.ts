import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { ModelCatalogue } from "#lib/models/index";
import { readRecordedCalls, type SessionReport } from "#lib/replay/recording-proxy/index";
import type { AnswerPair } from "./answer-summary";
import { pairAnswers, type RecordedAnswer, readAnswers } from "./recorded-answers";

/** Returns the folders of the tapes that use a model that has ended or will, or one of these names. Throws TapeError. */
export function findAffected(root: string, named: readonly string[], { names }: ModelCatalogue): Set<string> {
  const { calls } = existsSync(root) ? readRecordedCalls(root) : { calls: [] };
  const meant = new Set(named.flatMap((name) => names.find(name) ?? []));
  const affected = calls.filter(({ model, host }) => {
    const known = model === null ? undefined : names.find(model, host);
    const isNamed = model !== null && (named.includes(model) || (known !== undefined && meant.has(known)));
    return isNamed || known?.status === "deprecated" || known?.status === "retired";
  });
  return new Set(affected.map(({ file }) => dirname(file)));
}

type Before = ReadonlyMap<string, readonly RecordedAnswer[]>;

/** Returns the answers on each of these tapes, before they are recorded again; none of one that cannot be read. */
export async function readBefore(folders: Iterable<string>, root: string, catalogue: ModelCatalogue): Promise<Before> {
  const found = new Map<string, RecordedAnswer[]>();
  for (const folder of folders) found.set(folder, await readAnswers(folder, root, catalogue).catch(() => []));
  return found;
}

/** Returns the answers before and after, of the tapes that a run has replaced. Throws TapeError. */
export async function pairReplaced(
  before: Before,
  reports: readonly SessionReport[],
  root: string,
  catalogue: ModelCatalogue,
): Promise<AnswerPair[]> {
  const pairs: AnswerPair[] = [];
  for (const { folder, recorded } of reports) {
    const old = before.get(resolve(folder));
    if (old && recorded > 0) pairs.push(...pairAnswers(old, await readAnswers(folder, root, catalogue)));
  }
  return pairs;
}
