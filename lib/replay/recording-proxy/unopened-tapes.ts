import type { Provider } from "#lib/replay/providers/index";
import { listTapeFolders, readTapeFile } from "./tape-file";
import { matchKey, matchKeyLength, type TapeRequest } from "./tape-request";

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
