import { existsSync } from "node:fs";
import { basename, relative } from "node:path";
import { commandLine, quoteArgument } from "#lib/platform/command-line";
import type { JsonDifference } from "#lib/platform/json-difference";
import { cassetteEnding } from "#lib/replay/cassettes/index";
import type { Provider } from "#lib/replay/providers/index";
import { type Call, senderOf } from "./call";
import { findChangedWords, isMaskedNow, maskedReason } from "./changing-text";
import { defaultTapes } from "./config";
import { type Match, notRecorded } from "./match-request";
import { emptyReport, type Miss, type SessionReport } from "./report";
import type { Exchange, Tape } from "./tape";
import { listTapeFolders, readTapeFile } from "./tape-file";
import { divideName } from "./tape-place";
import { matchKey, matchKeyLength, type TapeRequest } from "./tape-request";
import { lacksVersion } from "./upstreams";

/** Most tapes that may be those of a renamed test. */
const maxNamedCount = 3;

/** A request that a tape has no recording of. */
export type Missed = {
  call: Call;
  asked: TapeRequest;
  match: Extract<Match<Exchange>, { kind: "miss" }>;
  /** The command that records it, or in mode `auto`, why it was not recorded either. */
  remedy: Pick<Miss, "record" | "failure">;
  isExact: boolean;
  /** Why no hand-written answer was given. */
  answers: string | undefined;
};

/** Whether a line that only one of two texts has names the folder of all tapes, or a recording. */
function listsTapes(differences: readonly JsonDifference[], root: string): boolean {
  const isListing = (line: string) =>
    line.includes(cassetteEnding) ||
    line.split(/[^\w./\\-]+/).some((word) => /[/\\]$/.test(word) && basename(word) === basename(root));
  const linesOf = (value: unknown) => (typeof value === "string" ? value.split("\n") : []);
  return differences.some(({ before, after }) => {
    const [was, is] = [new Set(linesOf(before)), new Set(linesOf(after))];
    return (
      [...was].some((line) => !is.has(line) && isListing(line)) ||
      [...is].some((line) => !was.has(line) && isListing(line))
    );
  });
}

/** Returns why a tape has no recording of a request, with the nearest one, and with tapes that a renamed test may have left. */
export async function createMiss(
  tape: Tape,
  unopened: UnopenedTapes,
  { call, asked, match, remedy, isExact, answers }: Missed,
): Promise<Miss> {
  const { method, path } = asked;
  const found = match.findNearest();
  const isEmpty = tape.exchanges.length === 0;
  const isListed = found !== null && listsTapes(found.differences, tape.root);
  const isUnknown =
    found !== null && !isListed && match.reason === notRecorded && !(isExact || found.exchange.isPlayed);
  const words = isUnknown ? findChangedWords(found.differences) : null;
  const isMasked = words !== null && isMaskedNow(words);
  const listed = `This prompt lists the tapes: put "tapes" of tapedeck.config.json outside of ${asked.place?.folder}, and record again`;
  const reason = isListed
    ? listed
    : isMasked
      ? maskedReason()
      : isEmpty
        ? `${match.reason}: ${tape.folder}`
        : match.reason;
  const others = await unopened.find(call.provider, asked, tape);
  return {
    test: tape.test,
    request: `${method} ${path}`,
    ...senderOf(call),
    reason: lacksVersion(call.incoming.upstream, asked) ? "The base URL of its client seems to lack /v1" : reason,
    nearest: found && { file: found.exchange.file, differences: found.differences },
    mayBeVolatile: words !== null && !isMasked,
    others: others.map((other) => ({ ...other, move: isEmpty ? unopened.moveCommand(other.test, tape.test) : null })),
    answers,
    ...remedy,
  };
}

/** A tape and the test whose calls it has. */
export type NamedTape = { test: string; folder: string };

/** Tapes whose lists declare the same fields as volatile, by the start of each request's key. */
type Group = { volatile: readonly string[]; tapes: Map<string, NamedTape[]> };

/** Returns reports of the tapes that are not known, all of whose recordings are unused. Throws TapeError. */
export async function listUnopened(root: string, isKnown: (folder: string) => boolean): Promise<SessionReport[]> {
  const folders = (await listTapeFolders(root)).filter((folder) => !isKnown(folder));
  return Promise.all(
    folders.map(async (folder) => {
      const { test, exchanges } = (await readTapeFile(folder, root)) ?? { test: folder, exchanges: [] };
      return { ...emptyReport(test, folder), unused: exchanges.map(({ file }) => file) };
    }),
  );
}

/** The tapes that no test of a run has opened: a test that was renamed left one. */
export class UnopenedTapes {
  readonly #root: string;
  readonly #isOpened: (tape: NamedTape) => boolean;
  #groups: Promise<Group[]> | undefined;

  constructor(root: string, isOpened: (tape: NamedTape) => boolean) {
    this.#root = root;
    this.#isOpened = isOpened;
  }

  /** Returns tapes that have exactly a request of a test and that no test has opened yet: those of its file first. */
  async find(provider: Provider, request: TapeRequest, { test, volatile }: Pick<Tape, "test" | "volatile">) {
    this.#groups ??= this.#read();
    const found = (await this.#groups).flatMap(({ volatile: own, tapes }) => {
      const key = matchKey(provider, request, [...new Set([...volatile, ...own])]);
      return (tapes.get(key.slice(0, matchKeyLength)) ?? []).filter((tape) => !this.#isOpened(tape));
    });
    const [file] = test.split(" > ");
    const isNear = (tape: NamedTape) => tape.test.split(" > ")[0] === file;
    return found.sort((a, b) => Number(isNear(b)) - Number(isNear(a))).slice(0, maxNamedCount);
  }

  /** Returns the command that makes the tape of a test that of another one, and all of a file that was renamed. */
  moveCommand(from: string, test: string): string {
    const folder = relative(process.cwd(), this.#root);
    const [[oldFile, oldName], [file, name]] = [divideName(from), divideName(test)];
    const isFileRenamed = oldName !== "" && oldName === name && existsSync(file) && !existsSync(oldFile);
    return [
      commandLine("move"),
      ...(folder === defaultTapes ? [] : ["--tapes", quoteArgument(folder)]),
      ...(isFileRenamed ? [oldFile, file] : [from, test]).map(quoteArgument),
    ].join(" ");
  }

  async #read(): Promise<Group[]> {
    const groups = new Map<string, Group>();
    for (const folder of await listTapeFolders(this.#root)) {
      const list = await readTapeFile(folder, this.#root).catch(() => null);
      if (!list) continue;
      const name = JSON.stringify(list.volatile);
      const group = groups.get(name) ?? { volatile: list.volatile, tapes: new Map() };
      groups.set(name, group);
      for (const key of new Set(list.exchanges.map(({ match }) => match)))
        group.tapes.set(key, [...(group.tapes.get(key) ?? []), { test: list.test, folder }]);
    }
    return [...groups.values()];
  }
}
