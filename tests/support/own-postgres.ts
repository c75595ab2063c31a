import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startEmbeddedPostgres, stopEmbeddedPostgres } from "#lib/platform/database/embedded-postgres";
import { applyMigrations } from "#lib/platform/database/migrate";
import { readPostmasterFile } from "#lib/platform/database/postmaster-file";

/** Ids of a process's children. */
function childrenOf(parent: number): number[] {
  if (process.platform !== "linux") {
    const table = execFileSync("ps", ["-axo", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
    return table
      .map((line) => line.trim().split(/\s+/).map(Number))
      .flatMap(([pid, of]) => (of === parent ? [pid as number] : []));
  }
  return readdirSync("/proc").flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [, parentId] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(parentId) === parent ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** Returns the id of the main process of the server in a database folder. */
export function postmasterOf(folder: string): number {
  const file = readPostmasterFile(path.join(folder, "cluster"));
  if (!file?.isOurs) throw new Error(`No server is running in ${folder}.`);
  return file.pid;
}

/** Sends a signal to processes. A child may have ended since it was listed. */
function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

export type OwnPostgres = {
  url: string;
  /** Suspends all processes of the server: it accepts connections and answers nothing. */
  hang(): void;
  resume(): void;
  /** Kills all processes of the server, as a crash of the machine would. */
  kill(): void;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops the server, also while it hangs, and removes its folder. */
  remove(): Promise<void>;
};

/** Starts a PostgreSQL server for one test file, with all migrations applied. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  const folder = mkdtempSync(path.join(tmpdir(), "tapedeck-own-"));
  const settings = { fsync: "off" };
  const start = () => startEmbeddedPostgres({ folder, settings });
  const { url } = await start();
  await applyMigrations(url);
  let suspended: number[] = [];
  const resume = () => signalAll(suspended.splice(0), "SIGCONT");
  return {
    url,
    resume,
    hang: () => {
      const postmaster = postmasterOf(folder);
      // The main process first, so that it starts no further ones.
      process.kill(postmaster, "SIGSTOP");
      suspended = [postmaster, ...childrenOf(postmaster)];
      signalAll(suspended, "SIGSTOP");
    },
    kill: () => {
      // A child that outlives the main process would keep the port.
      const postmaster = postmasterOf(folder);
      signalAll([postmaster, ...childrenOf(postmaster)], "SIGKILL");
    },
    start: async () => {
      const started = await start();
      if (started.url !== url) throw new Error("The server did not get its port again.");
    },
    stop: async () => {
      await stopEmbeddedPostgres(folder);
    },
    remove: async () => {
      resume();
      await stopEmbeddedPostgres(folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
