import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import type { WorldCommand, WorldReport } from "./world-process";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Vendors whose hosts answer on this machine, in a database of their own. */
export type World = {
  database: TestDatabase;
  /** Returns what the hosts have seen since the last reset. */
  report: (kind?: WorldCommand["kind"]) => Promise<WorldReport>;
  /** Makes all vendors due, as if they had been fetched at other times. */
  makeDue: () => Promise<void>;
  countDue: () => Promise<number>;
  startWorker: (concurrency: number) => ChildProcess;
  close: () => Promise<void>;
};

const vendorsPerHost = 2;

/** Starts the hosts, and adds vendors, two to a host. */
export async function startWorld(vendorCount: number): Promise<World> {
  const file = fileURLToPath(new URL("./world-process.ts", import.meta.url));
  const child = fork(file, [], { execArgv: ["--import", "tsx"], cwd: root });
  const port = (await once(child, "message"))[0] as number;
  const database = await createTestDatabase();
  const hostOf = (index: number) => {
    const number = Math.floor(index / vendorsPerHost);
    return `127.${1 + Math.floor(number / 62_500)}.${Math.floor(number / 250) % 250}.${1 + (number % 250)}:${port}`;
  };
  const rows = Array.from({ length: vendorCount }, (_, index) => ({ index, host: hostOf(index) }));
  await database.client.$executeRaw`
    INSERT INTO vendors (id, slug, name, domain, category, origin, llms_txt_url, next_fetch_at)
    SELECT gen_random_uuid(), 'vendor-' || index, 'Vendor ' || index, host, 'cloud', 'operator',
      'http://' || host || '/' || index || '/llms.txt', now() - interval '1 hour'
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS rows (index int, host text)`;
  const allowedHosts = [...new Set(rows.map(({ host }) => host))].join(",");
  const ask = async (kind: WorldCommand["kind"] = "report") => {
    const answer = once(child, "message");
    child.send({ kind } satisfies WorldCommand);
    return (await answer)[0] as WorldReport;
  };
  return {
    database,
    report: ask,
    makeDue: async () => {
      await database.client.$executeRaw`UPDATE vendors SET next_fetch_at = now() - interval '1 hour'`;
    },
    countDue: () => database.client.vendor.count({ where: { nextFetchAt: { lte: new Date() } } }),
    startWorker: (concurrency) =>
      spawn(
        process.execPath,
        ["lib/cli/tapedeck.mjs", "worker", "--queues", "fetch", "--concurrency", String(concurrency)],
        {
          cwd: root,
          env: {
            ...process.env,
            DATABASE_URL: database.url,
            OUTBOUND_ALLOWED_HOSTS: allowedHosts,
            LOG_LEVEL: "error",
            BASE_URL: "",
          },
          stdio: ["ignore", "ignore", "inherit"],
        },
      ),
    close: async () => {
      child.kill("SIGTERM");
      await database.drop();
    },
  };
}

/** Returns the CPU seconds of a process so far, which Linux counts in ticks of 10 ms. */
export function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Stops workers and waits until they have ended. */
export async function stopWorkers(workers: readonly ChildProcess[], signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  const ended = workers.map((worker) => (worker.exitCode === null ? once(worker, "exit") : undefined));
  for (const worker of workers) worker.kill(signal);
  await Promise.all(ended);
}
