import path from "node:path";
import { type Config, ConfigError, config } from "#lib/platform/config";
import { pendingMigrations } from "#lib/platform/database/migration-files";
import { dataFolder } from "#lib/platform/database/paths";
import { secondMs } from "#lib/platform/time";
import { takeFileLock } from "../../platform/processes.mjs";
import { endLeftoverChildren, stopRequest, withProgress } from "../bootstrap/processes.mjs";
import { chooseBuildDate, ensureBuild } from "./build";
import { describeUrl, openDatabase } from "./open-database";
import { portProblem, startServerProcess, startWorkerProcess } from "./server-process";
import { superviseDatabase, superviseProcess } from "./supervise";
import { addressOf, welcome } from "./welcome";

/** Maximum wait for a previous launcher that is stopping. */
const lockTimeoutMs = 2_000;

type LaunchMode = "up" | "dev";
type Cleanup = (() => Promise<void> | void)[];

/**
 * Starts the database, the build if needed, and the server, and keeps them running until a stop request. Returns the exit
 * code: 0 after a stop request, 1 after a failure, 2 for an invalid configuration. Stops everything it started in any case.
 */
export async function launch(mode: LaunchMode): Promise<number> {
  const { signal } = stopRequest();
  const cleanup: Cleanup = [];
  try {
    const settings = config();
    return await run({ mode, settings, signal, cleanup });
  } catch (error) {
    if (signal.aborted) return 0;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof ConfigError ? 2 : 1;
  } finally {
    for (const step of cleanup.reverse()) {
      await Promise.resolve(step()).catch((error: Error) => process.stderr.write(`${error.message}\n`));
    }
  }
}

type Run = { mode: LaunchMode; settings: Config; signal: AbortSignal; cleanup: Cleanup };

async function run({ mode, settings, signal, cleanup }: Run): Promise<number> {
  const { HOST: host, PORT: port } = settings;
  const address = addressOf(host, port);
  const lockFile = path.join(dataFolder(), "launcher.lock");
  const { release, holder } = await takeFileLock(lockFile, { timeoutMs: lockTimeoutMs, signal, details: { address } });
  if (!release) {
    const where = typeof holder?.address === "string" ? ` at ${holder.address}` : "";
    throw new Error(`Tapedeck is already running in this folder${where} (process ${holder?.pid ?? "unknown"}).`);
  }
  cleanup.push(release);
  await endLeftoverChildren();
  const problem = await portProblem(host, port, mode);
  if (problem) throw new Error(problem);

  const steps = new Steps();
  const prepared = await allOrNone(signal, (both) => [
    steps.time("database", () => prepareDatabase(cleanup)),
    steps.time("build", async () => (mode === "up" ? ensureBuild({ signal: both }) : chooseBuildDate())),
  ]);
  const [{ url: databaseUrl, seeding, embedded }, buildDate] = prepared;
  signal.throwIfAborted();
  const start = (startSignal: AbortSignal) =>
    withProgress("Starting the server", () =>
      startServerProcess({ host, port, isDevelopment: mode === "dev", databaseUrl, buildDate, signal: startSignal }),
    );
  const print = (line: string) => process.stderr.write(line);
  const server = await steps.time("server", () => start(signal));
  const supervisions = [superviseProcess("The server", server, { start, print })];
  if (embedded) supervisions.push(superviseDatabase(embedded, { url: databaseUrl, print }));
  cleanup.push(...supervisions.map(({ stop }) => stop));
  await seeding;
  signal.throwIfAborted();
  if (settings.CRON !== "off") {
    const startWorker = async () => startWorkerProcess();
    const worker = superviseProcess("The worker", startWorkerProcess(), { start: startWorker, print });
    supervisions.push(worker);
    cleanup.push(worker.stop);
  }
  process.stdout.write(welcome(address, { tookMs: performance.now(), steps: steps.text() }));

  const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  await Promise.race([stopped, ...supervisions.map(({ failed }) => failed)]);
  return 0;
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
    if ((await pendingMigrations(url)).length === 0) return;
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
    const [reason] = (cause instanceof Error ? cause.message : String(cause)).split("\n\n");
    throw new Error(`The database at ${describeUrl(url)} cannot be used: ${reason}`, { cause });
  }
}
