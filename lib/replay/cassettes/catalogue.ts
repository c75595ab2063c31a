import { LRUCache } from "lru-cache";
import { commandLine } from "#lib/platform/command-line";
import { AppError } from "#lib/platform/errors";
import type { Log } from "#lib/platform/log";
import type { CassetteSummary } from "./describe-cassette";
import type { EntriesFile } from "./entries-file";
import { MatchIndex } from "./match-index";
import type { VerifiedCassette } from "./parse-cassette";
import {
  type CassetteFile,
  type Entry,
  logRefusal,
  minThreadCount,
  type PlayableFile,
  parseFile,
  readEntries,
  reasonOf,
} from "./read-entries";
import { type Recording, toRecording } from "./recording";
import { isCassetteId } from "./schemas";
import { parseSequences, type Sequences, sequencesFile } from "./sequences";
import type { CassetteStore, StoredFile } from "./stores/cassette-store";
import { unknownCassette } from "./unknown-cassette";

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
  /** What an earlier process found in the files, if this is stored. */
  entriesFile?: EntriesFile | undefined;
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
  const message = `${sequencesFile} in the cassette store ${reason}. Correct it; ${commandLine("cassettes verify")} checks it.`;
  // Clients would repeat the request, which is of no use before the file is corrected.
  return new AppError("internal_error", message, { cause, headers: { "X-Should-Retry": "false" } });
}

function describe(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

/** What one load found, and what was needed of it since. */
type Listing = {
  entries: ReadonlyMap<string, Entry>;
  list: readonly CassetteSummary[];
  index?: MatchIndex;
  sequences?: Promise<Sequences> | undefined;
};

/**
 * The verified cassettes of a store. Their descriptions are loaded once, then served from memory and reloaded when the store
 * reports a change or when the listing gets old. If a reload fails, the previous listing stays in use. A cassette is played
 * from its file, which is read when it is first played, also while the listing is still being loaded.
 */
export class Catalogue {
  readonly #options: Options;
  /**
   * Concurrent replays of an evicted cassette share one read. No caller's abort signal is passed to it, so a client
   * that disconnects does not fail the others. A recording larger than the cache is played without being cached.
   */
  readonly #files: LRUCache<string, PlayableFile>;
  #listing: Listing = { entries: new Map(), list: [] };
  #loadedAtMs = Number.NEGATIVE_INFINITY;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #failure: unknown;
  #loading: Promise<void> | undefined;
  #stored: Promise<readonly StoredFile[]> | undefined;
  #changedWhileLoading = false;

  constructor(options: Options) {
    this.#options = options;
    this.#files = new LRUCache({
      maxSize: options.maxCachedByteSize ?? maxCachedByteSize,
      sizeCalculation: ({ recording }) => Math.max(1, recording.byteSize),
      fetchMethod: (id) => this.#readPlayable(id),
      // A reload that replaces the entry must not fail the replays that wait for the read.
      ignoreFetchAbort: true,
    });
    options.store.watch?.(() => {
      // Until there is a listing, nothing tells which of them has changed.
      if (!this.#isLoaded) this.#files.clear();
      return this.refresh();
    });
  }

  /**
   * Returns all cassettes, ordered by id: the same array until a reload. Throws AppError `service_unavailable` if the store
   * never responded.
   */
  async list(): Promise<readonly CassetteSummary[]> {
    return (await this.#ready()).list;
  }

  /** Returns the ids of all cassettes; while they are loaded for the first time, of all files. Throws like `list`. */
  async ids(): Promise<readonly string[]> {
    const loading = this.#ready();
    loading.catch(() => undefined);
    const files = this.#isLoaded ? undefined : await this.#stored?.catch((error) => Promise.reject(unavailable(error)));
    return (files ?? (await loading).list).map(({ id }) => id);
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
    const loading = this.#ready();
    if (!this.#isLoaded) {
      loading.catch(() => undefined);
      const recording = isCassetteId(id) ? await this.#play(id) : undefined;
      // A file that is not played may be one that was replaced meanwhile.
      if (recording || !(await this.ids()).includes(id)) return recording;
    }
    const { entries } = await loading;
    return entries.get(id)?.summary ? this.#play(id) : undefined;
  }

  /** Returns the recording of the file that the listing has; before it is loaded, of any. */
  async #play(id: string): Promise<Recording | undefined> {
    const listed = this.#listing.entries.get(id);
    const kept = this.#files.peek(id);
    if (listed && kept && kept.revision !== listed.revision) this.#files.delete(id);
    return (await this.#files.fetch(id))?.recording;
  }

  /**
   * Returns the bytes of a cassette's file as they are stored, verified; undefined if there is none. Throws like
   * `recording`.
   */
  async file(id: string): Promise<Uint8Array | undefined> {
    if (!(await this.recording(id))) return undefined;
    const read = await this.#readFile(id);
    return read && this.#parse(read) ? read.bytes : undefined;
  }

  /** Replaces the file of a cassette in its store. Throws WriteError, and AppError not_found if it was removed. */
  async replace(id: string, bytes: Uint8Array): Promise<void> {
    if (!(await this.#options.store.replace?.(id, bytes))) throw unknownCassette(await this.ids(), id);
    await this.refresh();
  }

  /** Reloads what changed in the store. Failures are logged, never thrown. */
  async refresh(): Promise<void> {
    if (this.#loading) this.#changedWhileLoading = true;
    await this.#load().catch(() => undefined);
  }

  get #isLoaded(): boolean {
    return this.#loadedAtMs > Number.NEGATIVE_INFINITY;
  }

  async #ready(): Promise<Listing> {
    const { monotonicMs, maxAgeMs } = this.#options;
    if (this.#isLoaded) {
      if (monotonicMs() - Math.max(this.#loadedAtMs, this.#failedAtMs) > maxAgeMs) void this.refresh();
      return this.#listing;
    }
    if (monotonicMs() - this.#failedAtMs > retryAfterMs) await this.#load().catch(() => undefined);
    if (this.#isLoaded) return this.#listing;
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
      const known = this.#isLoaded ? undefined : this.#options.entriesFile?.read();
      this.#stored = store.list();
      const files = (await this.#stored).toSorted((a, b) => (a.id < b.id ? -1 : 1));
      if (files.length > maxCassetteCount)
        log.warn({ count: files.length }, `too many cassettes: only the first ${maxCassetteCount} are loaded`);
      await this.#describe(files.slice(0, maxCassetteCount), (await known) ?? this.#listing.entries);
      this.#loadedAtMs = monotonicMs();
      if (this.#failure !== undefined) log.info({ store: store.kind }, "cassettes are loaded again");
      this.#failure = undefined;
      this.#stored = undefined;
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

  async #describe(files: readonly StoredFile[], known: ReadonlyMap<string, Entry>): Promise<void> {
    const { store, log, entriesFile } = this.#options;
    const keep = (id: string, file: PlayableFile) => this.#files.set(id, file);
    const { entries, readCount } = await readEntries({ store, log, known, keep }, files);
    const before = this.#listing.entries;
    const isSame = entries.size === before.size && [...entries].every(([id, entry]) => before.get(id) === entry);
    this.#listing = isSame
      ? { ...this.#listing, sequences: undefined }
      : { entries, list: [...entries.values()].flatMap(({ summary }) => summary ?? []) };
    // Fewer are read again at the next start, which takes less than a second.
    if (readCount < minThreadCount) return;
    entriesFile
      ?.write(entries)
      .catch(({ message }: Error) => log.debug({ reason: message }, "the next start reads all cassettes again"));
  }

  async #readFile(id: string): Promise<CassetteFile | null> {
    try {
      const read = await this.#options.store.read(id);
      return read && { id, ...read };
    } catch (error) {
      throw unavailable(error);
    }
  }

  async #readPlayable(id: string): Promise<PlayableFile | undefined> {
    const read = await this.#readFile(id);
    const parsed = read && this.#parse(read);
    return parsed ? { revision: read.revision, recording: toRecording(parsed) } : undefined;
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

  /** Returns undefined, and logs why, for a file that must not be replayed. */
  #parse(file: CassetteFile): VerifiedCassette | undefined {
    try {
      return parseFile(file);
    } catch (error) {
      logRefusal(this.#options.log, file.id, reasonOf(error));
      return undefined;
    }
  }
}
