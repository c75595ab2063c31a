import type { Provider } from "#lib/replay/providers/index";
import { type Call, senderOf } from "./call";
import type { Match } from "./match-request";
import type { Miss } from "./report";
import type { Exchange, Tape } from "./tape";
import { listTapeFolders, readTapeFile } from "./tape-file";
import { matchKey, matchKeyLength, type TapeRequest } from "./tape-request";

/** A request that a tape has no recording of. */
export type Missed = {
  call: Call;
  asked: TapeRequest;
  match: Extract<Match<Exchange>, { kind: "miss" }>;
  /** The command that records it, or in mode `auto`, why it was not recorded either. */
  remedy: Pick<Miss, "record" | "failure">;
};

/** Returns why a tape has no recording of a request, with the nearest one, and with the tape that a renamed test left. */
export async function createMiss(
  tape: Tape,
  unopened: UnopenedTapes,
  { call, asked, match, remedy }: Missed,
): Promise<Miss> {
  const { method, path } = asked;
  const found = match.findNearest();
  const isEmpty = tape.exchanges.length === 0;
  const other = await unopened.find(call.provider, asked, tape.volatile);
  return {
    test: tape.test,
    request: `${method} ${path}`,
    ...senderOf(call),
    reason: isEmpty ? `${match.reason}: ${tape.folder}` : match.reason,
    nearest: found && { file: found.exchange.file, differences: found.differences },
    ...(other && { other: { ...other, freeFolder: isEmpty ? tape.folder : null } }),
    ...remedy,
  };
}

/** A tape and the test whose calls it has. */
export type NamedTape = { test: string; folder: string };

/** Tapes whose lists declare the same fields as volatile, by the start of each request's key. */
type Group = { volatile: readonly string[]; tapes: Map<string, NamedTape[]> };

/** The tapes that no test of a run has opened: a test that was renamed left one. */
export class UnopenedTapes {
  readonly #root: string;
  readonly #isOpened: (tape: NamedTape) => boolean;
  #groups: Promise<Group[]> | undefined;

  constructor(root: string, isOpened: (tape: NamedTape) => boolean) {
    this.#root = root;
    this.#isOpened = isOpened;
  }

  /** Returns a tape that has exactly this request and that no test has opened yet; null if there is none. */
  async find(provider: Provider, request: TapeRequest, volatile: readonly string[]): Promise<NamedTape | null> {
    this.#groups ??= this.#read();
    for (const { volatile: own, tapes } of await this.#groups) {
      const key = matchKey(provider, request, [...new Set([...volatile, ...own])]);
      const found = tapes.get(key.slice(0, matchKeyLength))?.find((tape) => !this.#isOpened(tape));
      if (found) return found;
    }
    return null;
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
