import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type Cassette,
  parseCassette,
  readRecordedAnswer,
  sealCassette,
  tapeFileName,
  type VerifiedCassette,
  writeFileAtomically,
} from "#lib/replay/cassettes/index";
import { localHost } from "#lib/replay/interception/index";
import type { Provider } from "#lib/replay/providers/index";
import { FileNames } from "./file-names";
import { requireInside } from "./inside";
import { type FindOptions, IssuedIds } from "./issued-ids";
import type { Match, Matchable } from "./match-request";
import { MovedIds } from "./moved-ids";
import { completeRequests, encodeFile, findWholeHosts, readStored, type StoredFile } from "./stored-file";
import { finishReplacement, removeTape, replaceFiles } from "./tape-commit";
import { OtherTapeError, TapeError } from "./tape-error";
import { compareFiles, listCassetteFiles, readTapeFile, type TapeFile } from "./tape-file";
import { matchKey, matchKeyLength, type TapeRequest } from "./tape-request";

/** A recorded request and the file with its answer. */
export type Exchange = Matchable & {
  file: string;
  /** Id of the cassette. */
  id: string;
  parentFile: string | null;
};

/** Files that are read before other work of the proxy gets its turn. */
const filesAtOnce = 100;

/** Exchanges up to which each new one is listed at once. */
const maxListedAtOnce = 50;

type SealedFile = { exchange: Exchange; cassette: Cassette };

/** Where a tape is. Neither its folder nor its files may lead out of the folder of all tapes. */
export type TapePlace = { root: string; folder: string };

/** The recordings of one test, in a folder: one cassette file an exchange, and `tape.json` with their order. */
export class Tape {
  readonly root: string;
  readonly folder: string;
  readonly test: string;
  /** Hosts of which it has all requests, with one name for this machine. */
  readonly wholeHosts: ReadonlySet<string>;
  readonly movedIds = new MovedIds();
  readonly #exchanges: Exchange[];
  /** Pointers that the tape's own file declares. */
  readonly #own: readonly string[];
  readonly #volatile: readonly string[];
  readonly #issuedIds = new IssuedIds<Exchange>((exchange) => this.#readBody(exchange));
  readonly #names: FileNames;
  #writes: Promise<unknown> = Promise.resolve();
  /** Number of exchanges at which the list is written next, while the tape is being recorded. */
  #listedAt = 0;
  #isListed = true;
  #isUntouched = true;

  private constructor(
    { root, folder }: TapePlace,
    test: string,
    { own, all }: { own: readonly string[]; all: readonly string[] },
    exchanges: Exchange[],
    wholeHosts: ReadonlySet<string> = new Set(),
  ) {
    this.root = root;
    this.wholeHosts = wholeHosts;
    this.folder = folder;
    this.test = test;
    this.#own = own;
    this.#volatile = all;
    this.#exchanges = exchanges;
    this.#names = new FileNames(exchanges.map(({ file }) => file));
  }

  /**
   * Reads the tape of a test, or of any test if none is named. One without a folder is empty. Files that `tape.json` does
   * not name come last. Throws TapeError.
   */
  static async open(place: TapePlace, name: string | null, volatile: readonly string[] = []): Promise<Tape> {
    const { root, folder } = place;
    requireInside(root, folder);
    await finishReplacement(folder, root);
    const index = await readTapeFile(folder, root);
    const test = name ?? index?.test ?? folder;
    if (index && test !== index.test) {
      throw new OtherTapeError(
        `${join(folder, tapeFileName)} is the tape of "${index.test}". Rename this test or that one`,
      );
    }
    const files = await listCassetteFiles(folder, root);
    const listed = new Set((index?.exchanges ?? []).map(({ file }) => file));
    const present = new Set(files);
    const missing = [...listed].find((file) => !present.has(file));
    if (missing !== undefined)
      throw new TapeError(`${join(folder, tapeFileName)} names ${missing}, which does not exist`);
    const ordered = [...listed, ...files.filter((file) => !listed.has(file))];
    const stored: StoredFile[] = [];
    for (const [index, file] of ordered.entries()) {
      // Reading thousands of small files one after another takes a third of the time that promises take.
      if (index % filesAtOnce === filesAtOnce - 1) await nextTurn();
      stored.push(readStored(folder, file));
    }
    const bodies = completeRequests(folder, stored);
    const own = index?.volatile ?? [];
    const all = [...new Set([...volatile, ...own])];
    const fileOf = new Map(stored.map(({ id, file }) => [id, file]));
    const exchanges = stored.map(({ file, id, provider, request, place, sentAt, isError }): Exchange => {
      const { method, host, path, query, headers, parent } = request;
      const complete: TapeRequest = { method, host, path, query, headers, body: bodies.get(id) ?? null, place, sentAt };
      const parentFile = parent ? (fileOf.get(parent.id) ?? null) : null;
      return {
        file,
        id,
        provider,
        request: complete,
        parentFile,
        key: matchKey(provider, complete, all),
        isPlayed: false,
        isError,
      };
    });
    return new Tape(place, test, { own, all }, exchanges, findWholeHosts(stored, bodies));
  }

  /** Returns an empty tape in place of one that cannot be read. */
  static async empty(place: TapePlace, test: string, volatile: readonly string[]): Promise<Tape> {
    const own = (await readTapeFile(place.folder, place.root).catch(() => null))?.volatile ?? [];
    return new Tape(place, test, { own, all: [...new Set([...volatile, ...own])] }, []);
  }

  /** Returns an empty tape of the same test, with the same volatile fields, for a folder that is empty. */
  successor(folder: string): Tape {
    return new Tape({ root: this.root, folder }, this.test, { own: this.#own, all: this.#volatile }, []);
  }

  get exchanges(): readonly Exchange[] {
    return this.#exchanges;
  }

  get volatile(): readonly string[] {
    return this.#volatile;
  }

  /** Finds the recording of a request. With `isTaken`, it is marked as played, so that no other request gets it. */
  async find(
    provider: Provider,
    request: TapeRequest,
    options: Omit<FindOptions, "volatile">,
  ): Promise<Match<Exchange>> {
    return this.#issuedIds.find(this.#exchanges, provider, request, { ...options, volatile: this.#volatile });
  }

  /** Reads and verifies the answer of an exchange. Throws TapeError. */
  async readAnswer({ file }: Pick<Exchange, "file">): Promise<VerifiedCassette> {
    const path = join(this.folder, file);
    requireInside(this.root, path);
    try {
      return parseCassette(await readFile(path));
    } catch (cause) {
      const advice = "Restore the file, or delete its folder and record the test again";
      throw new TapeError(`${path} ${(cause as Error).message}. ${advice}`, { cause });
    }
  }

  /** Returns the body of an answer; null if it has none or cannot be read, which is reported when it is played. */
  async #readBody(exchange: Exchange): Promise<Record<string, unknown> | null> {
    try {
      const { cassette, chunks } = await this.readAnswer(exchange);
      return readRecordedAnswer(exchange.provider, { headers: cassette.response.headers, chunks }).body;
    } catch {
      return null;
    }
  }

  /** Reserves the name of the next file, so that files are in the order of their requests. */
  reserveFile(): string {
    return this.#names.reserve();
  }

  /**
   * Adds an exchange: its file first, then the list. That of a long tape is written when the tape is twice as long, and when
   * it is flushed. If the process is killed in between, the tape can still be read: files that are not listed come last.
   * If another run has taken its name, `seal` seals it again for the next free one. With `isLast`, it comes last, whatever its
   * name. Throws WriteError.
   */
  add<Sealed extends SealedFile>(
    reserved: Sealed,
    seal: (file: string) => Sealed,
    { isLast = false } = {},
  ): Promise<Sealed> {
    const write = async () => {
      requireInside(this.root, this.folder);
      let sealed = reserved;
      await this.#names.write(reserved.exchange.file, this, (file) => {
        if (file !== sealed.exchange.file) sealed = seal(file);
        const options = { replace: false, cleanUp: this.#isUntouched };
        const path = join(this.folder, file);
        return writeFileAtomically(path, encodeFile(path, sealed.cassette), options);
      });
      const { exchange } = sealed;
      if (isLast) this.#exchanges.push(exchange);
      else this.#insert(exchange);
      this.#isUntouched = false;
      const wasListed = this.#isListed;
      this.#isListed = false;
      if (this.#exchanges.length < this.#listedAt && !this.#isNewLocalHost(exchange)) return sealed;
      await this.#writeList().catch(async (error) => {
        this.#exchanges.splice(this.#exchanges.indexOf(exchange), 1);
        await rm(join(this.folder, exchange.file), { force: true });
        this.#isListed = wasListed;
        throw error;
      });
      return sealed;
    };
    const done = this.#writes.then(write);
    // A write that fails does not hold up the next one.
    this.#writes = done.catch(() => undefined);
    return done;
  }

  /** Whether the list has to name another server on this machine: without it, a replay would not be led to the tape. */
  #isNewLocalHost({ request: { host = "" }, file }: Exchange): boolean {
    return localHost.test(host) && this.#exchanges.every((one) => one.file === file || one.request.host !== host);
  }

  /** Most exchanges are last: answers end about in the order of their requests. */
  #insert(exchange: Exchange): void {
    const isLater = ({ file }: Exchange) => compareFiles(file, exchange.file) < 0;
    this.#exchanges.splice(this.#exchanges.findLastIndex(isLater) + 1, 0, exchange);
  }

  /** Removes exchanges; those that continue one of them are stored whole. Throws TapeError and WriteError. */
  async remove(files: ReadonlySet<string>): Promise<void> {
    requireInside(this.root, this.folder);
    const remaining = this.#exchanges.filter(({ file }) => !files.has(file));
    for (const exchange of remaining) if (files.has(exchange.parentFile ?? "")) await this.#storeWhole(exchange);
    this.#exchanges.splice(0, Infinity, ...remaining);
    if (remaining.length > 0) await this.#writeList();
    for (const file of files) await rm(join(this.folder, file), { force: true });
    if (remaining.length === 0) await removeTape(this.folder, this.root);
  }

  /** Writes a recording with its whole request, which no longer needs the turn before. */
  async #storeWhole(exchange: Exchange): Promise<void> {
    const { cassette, chunks } = await this.readAnswer(exchange);
    const { provider, file } = exchange;
    const request = { ...cassette.request, body: exchange.request.body, parent: undefined };
    const path = join(this.folder, file);
    const bytes = encodeFile(path, sealCassette({ ...cassette, provider, request, chunks: [...chunks] }));
    await writeFileAtomically(path, bytes, { replace: true });
    exchange.parentFile = null;
  }

  /** Waits until everything that was added is on disk, and in the list. Throws WriteError. */
  async flush(): Promise<void> {
    await this.#writes;
    if (!this.#isListed) await this.#writeList();
  }

  /** Removes the files of a tape that is not going to replace another one. */
  async discard(): Promise<void> {
    await removeTape(this.folder, this.root);
  }

  /** Replaces the tape of a folder by this one, which was recorded beside it. Throws TapeError. */
  async moveTo(folder: string): Promise<void> {
    await this.flush();
    await replaceFiles(this.folder, folder, this.root);
  }

  async #writeList(): Promise<void> {
    const hosts = new Set(
      this.#exchanges.map(({ request }) => request.host ?? "").filter((host) => localHost.test(host)),
    );
    const list: TapeFile = {
      schema: "tape/1",
      test: this.test,
      volatile: [...this.#own],
      ...(hosts.size > 0 && { local_hosts: [...hosts].sort() }),
      exchanges: this.#exchanges.map(({ file, provider, request, parentFile, key }) => ({
        file,
        request: `${provider.name} ${request.method} ${request.path}`,
        parent: parentFile,
        match: key.slice(0, matchKeyLength),
      })),
    };
    await writeFileAtomically(join(this.folder, tapeFileName), `${JSON.stringify(list, null, 2)}\n`, { replace: true });
    this.#isListed = true;
    const { length } = this.#exchanges;
    this.#listedAt = length < maxListedAtOnce ? length + 1 : length * 2;
  }
}
