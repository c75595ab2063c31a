import { dirname, resolve } from "node:path";
import type { ModelCatalogue } from "#lib/models/index";
import { commandLine } from "#lib/platform/command-line";
import { printable } from "#lib/platform/printable";
import { readRecordedCalls, type SessionReport } from "#lib/replay/recording-proxy/index";
import { modelOfCall } from "../audit/findings";
import { CommandFailure } from "../failure";
import type { AnswerPair } from "./answer-summary";
import { pairAnswers, type RecordedAnswer, readAnswers } from "./recorded-answers";

/** Most models that are listed where a name is wrong. */
const maxListedCount = 20;

/**
 * Returns the folders of the tapes that use a model that has ended or will, or one of these names. Throws TapeError, and
 * CommandFailure if no tape uses a name.
 */
export function findAffected(root: string, named: readonly string[], catalogue: ModelCatalogue): Set<string> {
  const { calls } = readRecordedCalls(root);
  const used = calls.flatMap((call) => {
    const model = call.model ?? call.answered;
    return model === null ? [] : [{ model, file: call.file, known: modelOfCall(call, catalogue) }];
  });
  const folders = new Set<string>();
  for (const name of named) {
    const meant = catalogue.find(name);
    const found = used.filter(({ model, known }) => model === name || (known !== undefined && known === meant));
    if (found.length === 0) throw new CommandFailure(unusedText(name, [...new Set(used.map(({ model }) => model))]));
    for (const { file } of found) folders.add(dirname(file));
  }
  for (const { known, file } of used)
    if (known?.status === "deprecated" || known?.status === "retired") folders.add(dirname(file));
  return folders;
}

function unusedText(name: string, models: readonly string[]): string {
  if (models.length === 0) return `No tape uses ${name}: tapes name no model.`;
  const more = models.length - maxListedCount;
  const list = `${models.slice(0, maxListedCount).join(", ")}${more > 0 ? ` and ${more} more: ${commandLine("audit")} lists them` : ""}`;
  return printable(`No tape uses ${name}, so nothing was run. The tapes use ${list}.`);
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
