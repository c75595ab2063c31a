/** Vendors whose hosts answer on this machine: one server that listens on all addresses of 127.0.0.0/8. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { createTestDatabase } from "#tests/support/database";
import { root, startRole } from "../processes";

/** Requests for files since the last reset, and files that were requested more than once. */
type HostsReport = { files: number; repeated: number };

const minDelayMs = 100;
const delayRangeMs = 400;
const vendorsPerHost = 2;

function textOf(name: string): string {
  const line = (index: number) => `- [Guide ${index}](https://docs.example.com/${name}/${index}): a step`;
  return `# ${name}\n\n## Guides\n\n${Array.from({ length: 100 }, (_, index) => line(index)).join("\n")}\n`;
}

/** The hosts, in a process of their own. A message returns a report, and can reset it. */
export async function hosts() {
  const counts = new Map<string, number>();
  const server = createServer(async ({ url = "", headers }, response) => {
    const name = headers.host ?? "";
    const isFile = url !== "/robots.txt";
    if (isFile) counts.set(`${name}${url}`, (counts.get(`${name}${url}`) ?? 0) + 1);
    await wait(minDelayMs + Math.random() * delayRangeMs);
    if (!isFile) response.writeHead(404).end();
    else if (headers["if-none-match"] === '"1"') response.writeHead(304, { etag: '"1"' }).end();
    else response.writeHead(200, { "content-type": "text/markdown", etag: '"1"' }).end(textOf(name));
  });
  server.keepAliveTimeout = 1_000;
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  const answer = ({ reset }: { reset: boolean }): HostsReport => {
    const all = [...counts.values()];
    const repeated = all.filter((count) => count > 1).length;
    if (reset) counts.clear();
    return { files: all.reduce((sum, count) => sum + count, 0), repeated };
  };
  return { ready: (server.address() as AddressInfo).port, answer };
}

/** Starts the hosts, and adds vendors, two to a host, to a database of their own. */
export async function startWorld(vendorCount: number) {
  const { ready: port, ask } = await startRole(import.meta.url, hosts, []);
  const { url, client, drop } = await createTestDatabase();
  const hostOf = (index: number) => {
    const number = Math.floor(index / vendorsPerHost);
    return `127.${1 + Math.floor(number / 62_500)}.${Math.floor(number / 250) % 250}.${1 + (number % 250)}:${port}`;
  };
  const rows = Array.from({ length: vendorCount }, (_, index) => ({ index, host: hostOf(index) }));
  await client.$executeRaw`
    INSERT INTO vendors (id, slug, name, domain, category, origin, llms_txt_url, next_fetch_at)
    SELECT gen_random_uuid(), 'vendor-' || index, 'Vendor ' || index, host, 'cloud', 'operator',
      'http://' || host || '/' || index || '/llms.txt', now() - interval '1 hour'
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS rows (index int, host text)`;
  const allowedHosts = [...new Set(rows.map(({ host }) => host))].join(",");
  const own = { DATABASE_URL: url, OUTBOUND_ALLOWED_HOSTS: allowedHosts, LOG_LEVEL: "error", BASE_URL: "" };
  const startWorker = (concurrency: number) => {
    const args = ["worker", "--queues", "fetch", "--concurrency", String(concurrency)];
    return spawn(process.execPath, ["lib/cli/tapedeck.mjs", ...args], {
      cwd: root,
      env: { ...process.env, ...own },
      stdio: ["ignore", "ignore", "inherit"],
    });
  };
  return {
    client,
    drop,
    report: () => ask({ reset: false }),
    countDue: () => client.vendor.count({ where: { nextFetchAt: { lte: new Date() } } }),
    /** Makes all vendors due, as if they had been fetched at other times, and lets workers fetch them during `use`. */
    async withWorkers<T>(count: number, concurrency: number, use: (workers: ChildProcess[]) => Promise<T>): Promise<T> {
      await client.$executeRaw`UPDATE vendors SET next_fetch_at = now() - interval '1 hour'`;
      await ask({ reset: true });
      const workers = Array.from({ length: count }, () => startWorker(concurrency));
      try {
        return await use(workers);
      } finally {
        const ended = workers.map((worker) => (worker.exitCode === null ? once(worker, "exit") : undefined));
        for (const worker of workers) worker.kill("SIGTERM");
        await Promise.all(ended);
      }
    },
  };
}
