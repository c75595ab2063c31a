import path from "node:path";
import { type Config, ConfigError, config } from "#lib/platform/config";
import { dataFolder } from "#lib/platform/database/paths";
import { pendingMigrations } from "#lib/platform/database/pending-migrations";
import { takeFileLock } from "../../platform/processes.mjs";
import { endLeftoverChildren, stopRequest, withProgress } from "../bootstrap/processes.mjs";
import { chooseBuildDate, ensureBuild } from "./ensure-build";
import { describeUrl, openDatabase } from "./open-database";
import { portProblem, startServerProcess } from "./server-process";
import { addressOf, welcome } from "./welcome";

/** A predecessor that is just going away gets this long. */
const lockTimeoutMs = 2_000;

export type LaunchMode = "up" | "dev";
type Undo = (() => Promise<void> | void)[];

/**
 * From nothing to a running server, then until a stop is asked for. Returns the exit code: 0 after a stop, 1 after a
 * failure, 2 for a configuration that is not usable. Whatever was started is put away again in either case.
 */
export async function launch(mode: LaunchMode): Promise<number> {
  const { signal } = stopRequest();
  const undo: Undo = [];
  try {
    const settings = config();
    return await run({ mode, settings, signal, undo });
  } catch (error) {
    if (signal.aborted) return 0;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof ConfigError ? 2 : 1;
  } finally {
    for (const step of undo.reverse()) {
      await Promise.resolve(step()).catch((error: Error) => process.stderr.write(`${error.message}\n`));
    }
  }
}

type Run = { mode: LaunchMode; settings: Config; signal: AbortSignal; undo: Undo };

async function run({ mode, settings, signal, undo }: Run): Promise<number> {
  const { HOST: host, PORT: port } = settings;
  const address = addressOf(host, port);
  const lockFile = path.join(dataFolder(), "launcher.lock");
  const { release, holder } = await takeFileLock(lockFile, { timeoutMs: lockTimeoutMs, signal, details: { address } });
  if (!release) {
    const where = typeof holder?.address === "string" ? ` at ${holder.address}` : "";
    throw new Error(`Tapedeck already runs in this folder${where} (process ${holder?.pid ?? "unknown"}).`);
  }
  undo.push(release);
  await endLeftoverChildren();
  const problem = await portProblem(host, port, mode);
  if (problem) throw new Error(problem);

  const database = await withProgress("Starting the database", () => openDatabase({ takesOver: true }));
  undo.push(database.release);
  signal.throwIfAborted();
  await migrateDatabase(database.url);
  signal.throwIfAborted();
  const buildDate = mode === "up" ? await ensureBuild({ signal }) : chooseBuildDate();

  // The rows are small and idempotent: the server need not wait for them.
  const seeding = seedDatabase(database.url);
  seeding.catch(() => {});
  const server = await withProgress("Starting the server", () =>
    startServerProcess({ host, port, isDevelopment: mode === "dev", databaseUrl: database.url, buildDate, signal }),
  );
  undo.push(server.stop);
  await seeding;
  const { startTicker } = await import("./ticker");
  undo.push(startTicker(database.url).stop);
  process.stdout.write(welcome(address, performance.now()));

  const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  const ending = await Promise.race([server.ended, stopped]);
  if (signal.aborted) return 0;
  throw new Error(`The server ended by itself (${ending}).`);
}

/** Prisma's parts are loaded late: a start with nothing to migrate does without the larger one. */
async function migrateDatabase(url: string): Promise<void> {
  await describingDatabase(url, async () => {
    if ((await pendingMigrations(url)).length === 0) return;
    const { applyMigrations } = await import("#lib/platform/database/migrate");
    await withProgress("Updating the database", () => applyMigrations(url));
  });
}

async function seedDatabase(url: string): Promise<void> {
  await describingDatabase(url, async () => (await import("./seed-database")).seedDatabase(url));
}

async function describingDatabase(url: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    const [reason] = (cause instanceof Error ? cause.message : String(cause)).split("\n\n");
    throw new Error(`The database at ${describeUrl(url)} cannot be used: ${reason}`, { cause });
  }
}
