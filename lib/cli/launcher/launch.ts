import { existsSync } from "node:fs";
import path from "node:path";
import { type Config, ConfigError, config } from "#lib/platform/config";
import { hasEmbeddedPostgres } from "#lib/platform/database/embedded-postgres";
import { DatabaseRefusedError, migrationStatus, requireKnownMigrations } from "#lib/platform/database/migration-files";
import { dataFolder, embeddedDatabaseFolder, packageRoot } from "#lib/platform/database/paths";
import { secondMs } from "#lib/platform/time";
import { takeFileLock } from "../../platform/processes.mjs";
import { endLeftoverChildren, stopRequest, withProgress } from "../bootstrap/processes.mjs";
import { dataFolderProblem } from "../data-folder";
import { CommandFailure } from "../failure";
import { chooseBuildDate, ensureBuild } from "./build";
import { describeUrl, openDatabase } from "./open-database";
import {
  type KeptProcess,
  portProblem,
  restartWorkerProcess,
  startServerProcess,
  startWorkerProcess,
} from "./server-process";
import { Restarter, type Supervision, supervise, superviseDatabase, superviseProcess } from "./supervise";
import { addressOf, welcome } from "./welcome";

/** Maximum wait for a previous launcher that is stopping. */
const lockTimeoutMs = 2_000;

/** Maximum wait for requests in progress where no stop was asked for, but the server has to start again. */
const restartTimeoutMs = 3_000;

const print = (line: string) => process.stderr.write(line);

type LaunchMode = "up" | "dev";
type Cleanup = (() => Promise<void> | void)[];

/**
 * Starts the database, the build if needed, and the server, and keeps them running until a stop request, after which it
 * returns the exit code 0. Stops everything it started in any case.
 */
export async function launch(mode: LaunchMode): Promise<number> {
  const { signal } = stopRequest();
  const cleanup: Cleanup = [];
  const kept = new KeptParts();
  try {
    return await run({ mode, settings: config(), signal, cleanup, kept });
  } catch (error) {
    if (signal.aborted) return 0;
    throw error;
  } finally {
    await kept.stop();
    for (const step of cleanup.reverse()) {
      await Promise.resolve(step()).catch((error: Error) => process.stderr.write(`${error.message}\n`));
    }
  }
}

type Run = { mode: LaunchMode; settings: Config; signal: AbortSignal; cleanup: Cleanup; kept: KeptParts };

async function run({ mode, settings, signal, cleanup, kept }: Run): Promise<number> {
  const { HOST: host, PORT: port } = settings;
  requireCassetteFolder(settings);
  const address = addressOf(host, port);
  const lockFile = path.join(dataFolder(), "launcher.lock");
  const takeLock = () => takeFileLock(lockFile, { timeoutMs: lockTimeoutMs, signal, details: { address } });
  const { release, holder } = await whileDiskIsFull(takeLock, signal);
  if (!release) {
    const where = typeof holder?.address === "string" ? ` at ${holder.address}` : "";
    throw new Error(`Tapedeck is already running in this folder${where} (process ${holder?.pid ?? "unknown"}).`);
  }
  cleanup.push(release);
  await endLeftoverChildren();
  const problem = await portProblem(host, port, mode);
  if (problem) throw new Error(problem);

  const steps = new Steps();
  const [found, buildDate] = await allOrNone(signal, (both) => [
    steps.time("database", () => prepareOrExplain(cleanup)),
    steps.time("build", () => (mode === "up" ? ensureBuild({ signal: both }) : Promise.resolve(chooseBuildDate()))),
  ]);
  signal.throwIfAborted();
  let databaseUrl = "url" in found ? found.url : undefined;
  let server: KeptProcess;
  const start = async (startSignal: AbortSignal) => {
    const isDevelopment = mode === "dev";
    const options = { host, port, isDevelopment, databaseUrl, buildDate, signal: startSignal };
    server = await startServerProcess(options);
    return server;
  };
  const startFirst = () => withProgress("Starting the server", () => start(signal));
  kept.add(superviseProcess("The server", await steps.time("server", startFirst), { start, print }));
  const startWorker = () => {
    if (settings.CRON === "off" || signal.aborted) return;
    kept.add(superviseProcess("The worker", startWorkerProcess(), { start: restartWorkerProcess, print }));
  };
  const keepDatabase = async ({ url, seeding, embedded }: PreparedDatabase) => {
    if (embedded) kept.add(superviseDatabase(embedded, { url, print }));
    try {
      await seeding;
    } catch (error) {
      // What the embedded one lacks, such as space on the disk, may come back; the server goes on meanwhile.
      if (!embedded) throw error;
      const restarter = new Restarter("Seeding the database", { print });
      const seedAgain = (taskSignal: AbortSignal) =>
        restarter.restart((error as Error).message, taskSignal, () => seedDatabase(url));
      kept.add(supervise((taskSignal) => seedAgain(taskSignal).then(startWorker)));
      return;
    }
    startWorker();
  };
  if ("url" in found) await keepDatabase(found);
  else {
    print("Replay, docs and search work without the database; the rest answers 503 until it runs.\n");
    const restarter = new Restarter("The database", { print });
    kept.add(
      supervise(async (taskSignal) => {
        const prepared = await restarter.restart(found.problem, taskSignal, () => prepareDatabase(cleanup));
        if (!prepared || signal.aborted) return;
        print("The server starts again to use the database.\n");
        databaseUrl = prepared.url;
        await server.stop(restartTimeoutMs);
        if (signal.aborted) return;
        await keepDatabase(prepared);
      }),
    );
  }
  signal.throwIfAborted();
  process.stdout.write(welcome(address, { tookMs: performance.now(), steps: steps.text() }));

  const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  await Promise.race([stopped, kept.failed]);
  return 0;
}

/** Throws ConfigError without the folder of the cassettes: replay would be a 503. */
function requireCassetteFolder({ CASSETTE_STORE, CASSETTE_DIR }: Config): void {
  // Relative to where the server runs.
  const folder = path.resolve(packageRoot, CASSETTE_DIR);
  if (CASSETTE_STORE !== "folder" || existsSync(folder)) return;
  throw new ConfigError([{ name: "CASSETTE_DIR", message: `there is no folder ${folder}; create it` }]);
}

/** Repeats what a full disk prevents, with growing waits. */
async function whileDiskIsFull<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    const reason = dataFolderProblem(error) ?? "the disk is full";
    const result = await new Restarter("Tapedeck", { print }).restart(reason, signal, work);
    signal.throwIfAborted();
    return result as T;
  }
}

/** What the launcher keeps running; the list can grow. */
class KeptParts {
  readonly #parts: Supervision[] = [];
  #fail: (error: Error) => void = () => undefined;
  /** Rejects when a part cannot be kept running. Never resolves. */
  readonly failed = new Promise<never>((_resolve, reject) => {
    this.#fail = reject;
  });

  constructor() {
    // The launcher may not be waiting for it yet.
    this.failed.catch(() => undefined);
  }

  add(part: Supervision): void {
    part.failed.catch((error) => this.#fail(error));
    this.#parts.push(part);
  }

  /** Stops all at the same time, so that the server takes no new connections while the worker ends its work. */
  async stop(): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.stop()));
  }
}

/** Durations of the steps of a start, which can overlap. */
class Steps {
  readonly #durations: string[] = [];

  async time<T>(name: string, work: () => Promise<T>): Promise<T> {
    const startedMs = performance.now();
    const result = await work();
    this.#durations.push(`${name} ${((performance.now() - startedMs) / secondMs).toFixed(1)} s`);
    return result;
  }

  text(): string {
    return this.#durations.join(", ");
  }
}

/** Runs two operations in parallel. If one fails, aborts the other, waits for it, and throws the error. */
async function allOrNone<A, B>(
  signal: AbortSignal,
  start: (signal: AbortSignal) => [Promise<A>, Promise<B>],
): Promise<[A, B]> {
  const controller = new AbortController();
  const work = start(AbortSignal.any([signal, controller.signal]));
  try {
    return await Promise.all(work);
  } catch (error) {
    controller.abort();
    await Promise.allSettled(work);
    throw error;
  }
}

type PreparedDatabase = Awaited<ReturnType<typeof prepareDatabase>>;

/** Prepares the database. Returns why an embedded one that was set up before does not start now, as on a full disk. */
async function prepareOrExplain(cleanup: Cleanup): Promise<PreparedDatabase | { problem: string }> {
  const canWait = config().DATABASE_URL === undefined && hasEmbeddedPostgres(embeddedDatabaseFolder());
  try {
    return await prepareDatabase(cleanup);
  } catch (error) {
    if (!canWait || error instanceof CommandFailure) throw error;
    return { problem: (error as Error).message };
  }
}

/** Opens and migrates the database, and starts to seed it. Seeding is idempotent, so nothing has to wait for it. */
async function prepareDatabase(cleanup: Cleanup) {
  const { url, release, embedded } = await openDatabase({ takesOver: true });
  cleanup.push(release);
  await migrateDatabase(url);
  const seeding = seedDatabase(url);
  seeding.catch(() => {});
  cleanup.push(() => seeding.catch(() => {}));
  return { url, seeding, embedded };
}

/** Prisma's engine is slow to load, so it is loaded only if there are pending migrations. */
async function migrateDatabase(url: string): Promise<void> {
  await withDatabaseName(url, async () => {
    const status = await migrationStatus(url);
    requireKnownMigrations(status);
    if (status.pending.length === 0) return;
    const { applyMigrations } = await import("#lib/platform/database/migrate");
    await applyMigrations(url);
  });
}

async function seedDatabase(url: string): Promise<void> {
  await withDatabaseName(url, async () => (await import("../seed")).seedDatabase(url));
}

async function withDatabaseName(url: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (cause instanceof DatabaseRefusedError) throw new CommandFailure(cause.message);
    const [reason] = (cause instanceof Error ? cause.message : String(cause)).split("\n\n");
    throw new Error(`The database at ${describeUrl(url)} cannot be used: ${reason}`, { cause });
  }
}
