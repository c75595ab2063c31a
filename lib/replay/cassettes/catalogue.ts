import { LRUCache } from "lru-cache";
import { AppError } from "#lib/platform/errors";
import type { Log } from "#lib/platform/log";
import { CassetteError } from "./decode-cassette";
import { type CassetteSummary, describeCassette } from "./describe-cassette";
import { maxCassetteByteSize } from "./format";
import { MatchIndex } from "./match-index";
import { parseCassette } from "./parse-cassette";
import { type Recording, toRecording } from "./recording";
import { parseSequences, type Sequences, sequencesFile } from "./sequences";
import type { CassetteStore, StoredFile } from "./stores/cassette-store";
import { unknownCassette } from "./unknown-cassette";

const readConcurrency = 4;
/** Most cassettes in a catalogue; further files are ignored, with a warning in the log. */
const maxCassetteCount = 10_000;
/** Wait after a failed first load, in milliseconds, so that requests do not hammer a store that is down. */
const retryAfterMs = 2_000;
/** Most recordings kept in memory, in bytes of response body; the least recently played are evicted first. */
const maxCachedByteSize = 256 * 1024 * 1024;

type Options = {
  store: CassetteStore;
  log: Log;
  monotonicMs: () => number;
  /** Age at which the listing is reloaded in the background, in milliseconds. */
  maxAgeMs: number;
  maxCachedByteSize?: number;
};

function unavailable(cause: unknown): AppError {
  return new AppError("service_unavailable", "The cassette store does not respond. Try again in a few seconds.", {
    cause,
    headers: { "Retry-After": "5" },
  });
}

/** Longest reason in the error of a broken sequence file, in characters. */
const maxReasonLength = 300;

function brokenSequences(cause: unknown): AppError {
  const reason = (cause as Error).message.slice(0, maxReasonLength);
  const message = `${sequencesFile} in the cassette store ${reason}. Correct it; tapedeck cassettes verify checks it.`;
  // Clients would repeat the request, which is of no use before the file is corrected.
  return new AppError("internal_error", message, { cause, headers: { "X-Should-Retry": "false" } });
}

function describe(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

/** `summary` is null for a file that failed verification: it is not read again until its revision changes. */
type Entry = { revision: string; summary: CassetteSummary | null };

/** What one load found, and what was needed of it since. */
type Listing = {
  entries: ReadonlyMap<string, Entry>;
  list: readonly CassetteSummary[];
  index?: MatchIndex;
  sequences?: Promise<Sequences> | undefined;
};

/**
 * The verified cassettes of a store. Loaded once, then served from memory and reloaded when the store reports a change
 * or when the listing gets old. If a reload fails, the previous listing stays in use.
 */
export class Catalogue {
  readonly #options: Options;
  /**
   * Concurrent replays of an evicted cassette share one read. No caller's abort signal is passed to it, so a client
   * that disconnects does not fail the others. A recording larger than the cache is played without being cached.
   */
  readonly #recordings: LRUCache<string, Recording>;
  #listing: Listing = { entries: new Map(), list: [] };
  #loadedAtMs = Number.NEGATIVE_INFINITY;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #failure: unknown;
  #loading: Promise<void> | undefined;
  #changedWhileLoading = false;

  constructor(options: Options) {
    this.#options = options;
    this.#recordings = new LRUCache({
      maxSize: options.maxCachedByteSize ?? maxCachedByteSize,
      sizeCalculation: ({ byteSize }) => Math.max(1, byteSize),
      fetchMethod: (id) => this.#readRecording(id),
      // A reload that replaces the entry must not fail the replays that wait for the read.
      ignoreFetchAbort: true,
    });
    options.store.watch?.(() => this.refresh());
  }

  /**
   * Returns all cassettes, ordered by id: the same array until a reload. Throws AppError `service_unavailable` if the store
   * never responded.
   */
  async list(): Promise<readonly CassetteSummary[]> {
    return (await this.#ready()).list;
  }

  /** Returns the index by which requests are matched. Throws like `list`. */
  async matchIndex(): Promise<MatchIndex> {
    const listing = await this.#ready();
    listing.index ??= new MatchIndex(listing.list);
    return listing.index;
  }

  /**
   * Returns the sequences of the store's sequence file, by name. It is read when it is first needed after a reload. Throws
   * like `list`, and AppError `internal_error` if the file is broken.
   */
  async sequences(): Promise<Sequences> {
    const listing = await this.#ready();
    listing.sequences ??= this.#readSequences(listing);
    return listing.sequences;
  }

  /** Returns a cassette's summary, or undefined if there is none. Throws like `list`. */
  async find(id: string): Promise<CassetteSummary | undefined> {
    return (await this.#ready()).entries.get(id)?.summary ?? undefined;
  }

  /**
   * Returns a cassette ready to play, or undefined if there is none. Throws AppError `service_unavailable` if no store
   * is configured or the store does not respond.
   */
  async recording(id: string): Promise<Recording | undefined> {
    if (this.#options.store.kind === "none") {
      throw new AppError("service_unavailable", "No cassette store is configured on this server.");
    }
    return (await this.find(id)) && this.#recordings.fetch(id);
  }

  /**
   * Returns the bytes of a cassette's file as they are stored, verified; undefined if there is none. Throws like
   * `recording`.
   */
  async file(id: string): Promise<Uint8Array | undefined> {
    if (!(await this.recording(id))) return undefined;
    const read = await this.#readFile(id);
    return read && this.#verify(id, read.bytes) ? read.bytes : undefined;
  }

  /** Replaces the file of a cassette in its store. Throws WriteError, and AppError not_found if it was removed. */
  async replace(id: string, bytes: Uint8Array): Promise<void> {
    if (!(await this.#options.store.replace?.(id, bytes))) throw unknownCassette(await this.matchIndex(), id);
    await this.refresh();
  }

  /** Reloads what changed in the store. Failures are logged, never thrown. */
  async refresh(): Promise<void> {
    if (this.#loading) this.#changedWhileLoading = true;
    await this.#load().catch(() => undefined);
  }

  async #ready(): Promise<Listing> {
    const { monotonicMs, maxAgeMs } = this.#options;
    if (this.#loadedAtMs > Number.NEGATIVE_INFINITY) {
      if (monotonicMs() - Math.max(this.#loadedAtMs, this.#failedAtMs) > maxAgeMs) void this.refresh();
      return this.#listing;
    }
    if (monotonicMs() - this.#failedAtMs > retryAfterMs) await this.#load().catch(() => undefined);
    if (this.#loadedAtMs > Number.NEGATIVE_INFINITY) return this.#listing;
    throw unavailable(this.#failure);
  }

  #load(): Promise<void> {
    this.#loading ??= this.#loadOnce().finally(() => {
      this.#loading = undefined;
      if (!this.#changedWhileLoading) return;
      this.#changedWhileLoading = false;
      void this.refresh();
    });
    return this.#loading;
  }

  async #loadOnce(): Promise<void> {
    const { store, log, monotonicMs } = this.#options;
    try {
      const files = (await store.list()).sort((a, b) => (a.id < b.id ? -1 : 1));
      if (files.length > maxCassetteCount)
        log.warn({ count: files.length }, `too many cassettes: only the first ${maxCassetteCount} are loaded`);
      const entries = await this.#index(files.slice(0, maxCassetteCount));
      this.#listing = { entries, list: [...entries.values()].flatMap(({ summary }) => summary ?? []) };
      this.#loadedAtMs = monotonicMs();
      if (this.#failure !== undefined) log.info({ store: store.kind }, "cassettes are loaded again");
      this.#failure = undefined;
    } catch (error) {
      this.#failedAtMs = monotonicMs();
      // Every request tries again. Only the first failure is logged.
      if (this.#failure === undefined)
        log.error(
          { store: store.kind, reason: describe(error) },
          "could not load cassettes: the store does not respond",
        );
      this.#failure = error;
      throw error;
    }
  }

  async #index(files: StoredFile[]): Promise<Map<string, Entry>> {
    // In the order of the files, whichever is read first.
    const entries = new Map<string, Entry | null>(files.map(({ id }) => [id, null]));
    const queue = files.values();
    const worker = async () => {
      for (const file of queue) entries.set(file.id, await this.#indexFile(file));
    };
    await Promise.all(Array.from({ length: readConcurrency }, worker));
    return new Map([...entries].filter((pair): pair is [string, Entry] => pair[1] !== null));
  }

  async #indexFile({ id, revision, byteSize }: StoredFile): Promise<Entry | null> {
    const known = this.#listing.entries.get(id);
    if (known?.revision === revision) return known;
    if (byteSize > maxCassetteByteSize) {
      this.#logRefusal(id, `has ${byteSize} bytes; the limit is ${maxCassetteByteSize} (64 MiB)`);
      return { revision, summary: null };
    }
    try {
      const read = await this.#options.store.read(id);
      if (!read) return null;
      const verified = this.#verify(id, read.bytes);
      if (verified) this.#recordings.set(id, verified.recording);
      return { revision: read.revision, summary: verified?.summary ?? null };
    } catch (error) {
      // One unreadable file must not remove the others; the next reload tries it again.
      this.#options.log.warn({ err: error, cassette: id }, `could not read cassette ${id}`);
      return known ?? null;
    }
  }

  async #readFile(id: string) {
    return this.#options.store.read(id).catch((error) => {
      throw unavailable(error);
    });
  }

  async #readRecording(id: string): Promise<Recording | undefined> {
    const read = await this.#readFile(id);
    return read ? this.#verify(id, read.bytes)?.recording : undefined;
  }

  async #readSequences(listing: Listing): Promise<Sequences> {
    const read = await this.#options.store.read(sequencesFile).catch((error) => {
      // The next request tries again.
      listing.sequences = undefined;
      throw unavailable(error);
    });
    try {
      return read ? parseSequences(read.bytes) : new Map();
    } catch (error) {
      throw brokenSequences(error);
    }
  }

  /** Parses a file; returns undefined, and logs why, if it must not be replayed. */
  #verify(id: string, bytes: Uint8Array): { recording: Recording; summary: CassetteSummary } | undefined {
    try {
      const verified = parseCassette(bytes);
      if (verified.cassette.id !== id) throw new CassetteError(`has the id ${verified.cassette.id}`);
      return { recording: toRecording(verified), summary: describeCassette(verified) };
    } catch (error) {
      this.#logRefusal(id, error instanceof CassetteError ? error.message : String(error));
    }
    return undefined;
  }

  #logRefusal(id: string, reason: string): void {
    this.#options.log.warn({ cassette: id, reason }, `cassette ${id} is ignored: ${reason}`);
  }
}
