import path from "node:path";
import { type Config, ConfigError, config } from "#lib/platform/config";
import { dataFolder } from "#lib/platform/database/paths";
import { pendingMigrations } from "#lib/platform/database/pending-migrations";
import { takeFileLock } from "../../platform/processes.mjs";
import { endLeftoverChildren, stopRequest, withProgress } from "../bootstrap/processes.mjs";
import { chooseBuildDate, ensureBuild } from "./build";
import { describeUrl, openDatabase } from "./open-database";
import { portProblem, startServerProcess } from "./server-process";
import { addressOf, welcome } from "./welcome";

/** Maximum wait for a previous launcher that is stopping. */
const lockTimeoutMs = 2_000;

export type LaunchMode = "up" | "dev";
type Cleanup = (() => Promise<void> | void)[];

/**
 * Starts the database, the build if needed, and the server, and runs until a stop request. Returns the exit code: 0 after
 * a stop request, 1 after a failure, 2 for an invalid configuration. Stops everything it started in any case.
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

  const database = await withProgress("Starting the database", () => openDatabase({ takesOver: true }));
  cleanup.push(database.release);
  signal.throwIfAborted();
  await migrateDatabase(database.url);
  signal.throwIfAborted();
  const buildDate = mode === "up" ? await ensureBuild({ signal }) : chooseBuildDate();

  // Seeding is idempotent, so the server does not have to wait for it.
  const seeding = seedDatabase(database.url);
  seeding.catch(() => {});
  const server = await withProgress("Starting the server", () =>
    startServerProcess({ host, port, isDevelopment: mode === "dev", databaseUrl: database.url, buildDate, signal }),
  );
  cleanup.push(server.stop);
  await seeding;
  const { startScheduler } = await import("./scheduler");
  cleanup.push(startScheduler(database.url).stop);
  process.stdout.write(welcome(address, performance.now()));

  const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  const ending = await Promise.race([server.ended, stopped]);
  if (signal.aborted) return 0;
  throw new Error(`The server exited unexpectedly (${ending}).`);
}

/** Prisma's engine is loaded only if there are pending migrations: it takes long to load. */
async function migrateDatabase(url: string): Promise<void> {
  await withDatabaseName(url, async () => {
    if ((await pendingMigrations(url)).length === 0) return;
    const { applyMigrations } = await import("#lib/platform/database/migrate");
    await withProgress("Updating the database", () => applyMigrations(url));
  });
}

async function seedDatabase(url: string): Promise<void> {
  await withDatabaseName(url, async () => (await import("./seed-database")).seedDatabase(url));
}

async function withDatabaseName(url: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    const [reason] = (cause instanceof Error ? cause.message : String(cause)).split("\n\n");
    throw new Error(`The database at ${describeUrl(url)} cannot be used: ${reason}`, { cause });
  }
}
