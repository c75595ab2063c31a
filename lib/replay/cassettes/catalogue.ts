import { AppError } from "#lib/platform/errors";
import type { Log } from "#lib/platform/log";
import { type CassetteSummary, describeCassette } from "./describe-cassette";
import { CassetteError, parseCassette } from "./parse-cassette";
import { type Recording, RecordingCache, toRecording } from "./recording";
import { maxCassetteByteSize } from "./schemas";
import type { CassetteStore, StoredFile } from "./stores/cassette-store";

/** Most files that are read from a store at once. */
const readConcurrency = 4;
/** Most cassettes in a catalogue; further files are left out and named in the log. */
const maxCassetteCount = 10_000;
/** How long a failed first load is remembered, so that a store that is down is not asked by every request. */
const retryAfterMs = 2_000;

type Options = {
  store: CassetteStore;
  log: Log;
  monotonicMs: () => number;
  /** Age at which a listing is renewed in the background; Infinity where the store tells of changes itself. */
  maxAgeMs: number;
};

function unavailable(cause: unknown): AppError {
  return new AppError("service_unavailable", "The cassette store does not answer. Try again in a few seconds.", {
    cause,
    headers: { "Retry-After": "5" },
  });
}

type Entry = { revision: string; summary: CassetteSummary | null };

/**
 * The cassettes of a store, verified when they are indexed. It is loaded once, answers from memory, and renews
 * itself: on the store's word, or by age. While a renewal fails, what was loaded before goes on being served.
 */
export class Catalogue {
  readonly #options: Options;
  readonly #recordings = new RecordingCache();
  #entries: ReadonlyMap<string, Entry> = new Map();
  #loadedAtMs = Number.NEGATIVE_INFINITY;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #failure: unknown;
  #loading: Promise<void> | undefined;
  #changedWhileLoading = false;

  constructor(options: Options) {
    this.#options = options;
    options.store.watch?.(() => this.refresh());
  }

  /** Every cassette, ordered by id. Throws AppError `service_unavailable` where the store never answered. */
  async list(): Promise<CassetteSummary[]> {
    await this.#ready();
    return [...this.#entries.values()].flatMap(({ summary }) => summary ?? []);
  }

  /** One cassette's summary, undefined where there is none. */
  async find(id: string): Promise<CassetteSummary | undefined> {
    await this.#ready();
    return this.#entries.get(id)?.summary ?? undefined;
  }

  /** One cassette ready to play, undefined where there is none. Throws `service_unavailable` without a store. */
  async recording(id: string): Promise<Recording | undefined> {
    if (this.#options.store.kind === "none") {
      throw new AppError("service_unavailable", "No cassette store is configured here, so nothing can be replayed.");
    }
    const summary = await this.find(id);
    if (!summary) return undefined;
    return this.#recordings.get(id) ?? (await this.#reread(id));
  }

  /** Reads what changed in the store; failures are logged, never thrown. */
  async refresh(): Promise<void> {
    if (this.#loading) this.#changedWhileLoading = true;
    await this.#load().catch(() => undefined);
  }

  async #ready(): Promise<void> {
    const { monotonicMs, maxAgeMs } = this.#options;
    if (this.#loadedAtMs > Number.NEGATIVE_INFINITY) {
      if (monotonicMs() - Math.max(this.#loadedAtMs, this.#failedAtMs) > maxAgeMs) void this.refresh();
      return;
    }
    if (monotonicMs() - this.#failedAtMs > retryAfterMs) await this.#load().catch(() => undefined);
    if (this.#loadedAtMs > Number.NEGATIVE_INFINITY) return;
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
        log.warn({ count: files.length }, `only ${maxCassetteCount} cassettes are kept`);
      this.#entries = await this.#index(files.slice(0, maxCassetteCount));
      this.#loadedAtMs = monotonicMs();
    } catch (error) {
      this.#failure = error;
      this.#failedAtMs = monotonicMs();
      log.error({ err: error, store: store.kind }, "the cassette store does not answer");
      throw error;
    }
  }

  async #index(files: StoredFile[]): Promise<Map<string, Entry>> {
    const entries = new Map<string, Entry>();
    const queue = files.entries();
    const results: (Entry | null)[] = new Array(files.length).fill(null);
    const worker = async () => {
      for (const [index, file] of queue) results[index] = await this.#indexFile(file);
    };
    await Promise.all(Array.from({ length: readConcurrency }, worker));
    for (const [index, file] of files.entries()) {
      const entry = results[index];
      if (entry) entries.set(file.id, entry);
    }
    return entries;
  }

  async #indexFile(file: StoredFile): Promise<Entry | null> {
    const known = this.#entries.get(file.id);
    if (known?.revision === file.revision) return known;
    if (file.byteSize > maxCassetteByteSize) {
      return this.#refuse(
        file.id,
        file.revision,
        `is ${file.byteSize} bytes; at most ${maxCassetteByteSize} (64 MiB) are read`,
      );
    }
    try {
      const read = await this.#options.store.read(file.id);
      return read && this.#verify(file.id, read.bytes, read.revision);
    } catch (error) {
      // One file that cannot be read must not take the others away; the next renewal asks for it again.
      this.#options.log.warn({ err: error, cassette: file.id }, `cassette ${file.id} cannot be read now`);
      return known ?? null;
    }
  }

  #verify(id: string, bytes: Uint8Array, revision: string): Entry {
    try {
      const verified = parseCassette(bytes);
      if (verified.cassette.id !== id) throw new CassetteError(`says that its id is ${verified.cassette.id}`);
      this.#recordings.set(toRecording(verified));
      return { revision, summary: describeCassette(verified) };
    } catch (error) {
      return this.#refuse(id, revision, error instanceof CassetteError ? error.message : String(error));
    }
  }

  #refuse(id: string, revision: string, reason: string): Entry {
    this.#recordings.delete(id);
    this.#options.log.warn({ cassette: id, reason }, `cassette ${id} is left out: ${reason}`);
    return { revision, summary: null };
  }

  async #reread(id: string): Promise<Recording | undefined> {
    const read = await this.#options.store.read(id).catch((error) => {
      throw unavailable(error);
    });
    if (!read || this.#verify(id, read.bytes, read.revision).summary === null) return undefined;
    return this.#recordings.get(id);
  }
}
