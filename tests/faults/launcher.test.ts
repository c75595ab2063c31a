import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, expect, onTestFinished, test } from "vitest";
import {
  findEmbeddedPostgres,
  startEmbeddedPostgres,
  stopEmbeddedPostgres,
} from "#lib/platform/database/embedded-postgres";
import { applyMigrations } from "#lib/platform/database/migrate";
import { withClient } from "#lib/platform/database/postgres-connection";
import { isExtended, itExtended } from "#tests/support/extended";
import { answers, childrenOf, type Launched, launchTapedeck, until as untilWithin } from "#tests/support/launcher";
import { postmasterOf } from "#tests/support/own-postgres";
import { freePort } from "#tests/support/serve";
import { isSameProcess } from "../../lib/platform/processes.mjs";

/** Some tests start everything two or three times, on a machine that may be busy. */
const startsTimeoutMs = 600_000;
/** Waits for a condition as long as the test may take: a busy machine starts and ends processes late. */
const until = (condition: () => boolean | Promise<boolean>) => untilWithin(condition, startsTimeoutMs);
/** `mkdtemp` makes it accessible only to its owner. As root, PostgreSQL's user then needs a capability to enter it. */
const dataFolder = mkdtempSync(path.join(tmpdir(), "tapedeck-launcher-"));
const databaseFolder = path.join(dataFolder, "database");
const otherFolder = mkdtempSync(path.join(tmpdir(), "tapedeck-other-"));
const launched: Launched[] = [];
const npmRunUp: [string, ...string[]] = ["npm", "run", "--silent", "up"];

function launch(port: number, more: Partial<Parameters<typeof launchTapedeck>[0]> = {}): Launched {
  const one = launchTapedeck({ dataFolder, port, ...more });
  launched.push(one);
  return one;
}

async function stop(one: Launched, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  one.process.kill(signal);
  expect(await one.ended, one.output()).toEqual({ exitCode: 0, signal: null });
}

/** Whether the server says that its database answers; undefined while there is no server. */
async function isConnected(port: number): Promise<boolean | undefined> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/health`).catch(() => undefined);
  return ((await answer?.json()) as { db_connected: boolean } | undefined)?.db_connected;
}
/** A database on a busy machine may not answer within the second that health waits for it. */
const untilConnected = (port: number) => until(async () => (await isConnected(port)) === true);

afterEach(async () => {
  for (const { process: child, ended } of launched.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGTERM");
    await ended;
  }
});

afterAll(async () => {
  for (const folder of [dataFolder, otherFolder]) {
    await stopEmbeddedPostgres(path.join(folder, "database"));
    rmSync(folder, { recursive: true, force: true });
  }
});

test("an invalid configuration is reported line by line with exit code 2, and nothing is started", async () => {
  const environment = { PORT: "many", DATABASE_URL: "mysql://host/name", CASSETTE_STORE: "tape" };
  const one = launch(0, { environment });
  expect(await one.ended).toEqual({ exitCode: 2, signal: null });
  for (const name of Object.keys(environment)) expect(one.output()).toMatch(new RegExp(`^  ${name}: `, "m"));
  expect(existsSync(databaseFolder)).toBe(false);
});

test("a folder of cassettes that does not exist is refused with exit code 2", async () => {
  const one = launch(await freePort(), { environment: { CASSETTE_DIR: "/nonexistent/cassettes" } });
  expect(await one.ended).toEqual({ exitCode: 2, signal: null });
  expect(one.output()).toContain("\n  CASSETTE_DIR: there is no folder /nonexistent/cassettes; create it\n");
});

test.runIf(isExtended && process.platform === "linux").each(["/sys/tapedeck", "/proc/tapedeck/data"])(
  "the data folder %s, which cannot be written, is named, with what to do",
  async (unwritable) => {
    const one = launch(await freePort(), { dataFolder: unwritable });
    expect(await one.ended).toEqual({ exitCode: 1, signal: null });
    const named = `^The data folder ${unwritable} cannot be written \\(E\\w+\\)\\. .*TAPEDECK_DATA_DIR`;
    expect(one.output()).toMatch(new RegExp(named, "m"));
    expect(one.output()).not.toMatch(/^ +at /m);
  },
);

test("a port in use is reported in one line, also if the launcher's files are damaged, and nothing is left running", async () => {
  mkdirSync(path.join(dataFolder, "children"));
  for (const [name, content] of Object.entries({
    "launcher.lock": "garbage",
    "children/1.json": "null",
    "children/2.json": "{",
  })) {
    writeFileSync(path.join(dataFolder, name), content);
    // Otherwise another process might still be writing it.
    utimesSync(path.join(dataFolder, name), 0, 0);
  }
  const port = await freePort();
  const other = createServer().listen(port, "127.0.0.1");
  const one = launch(port);
  expect(await one.ended).toEqual({ exitCode: 1, signal: null });
  expect(one.output()).toBe(`Port ${port} is in use. Choose another: PORT=${port + 1} npm run up\n`);
  expect(await findEmbeddedPostgres(databaseFolder)).toBeUndefined();
  other.close();
});

itExtended("an unreachable DATABASE_URL is reported without its password", async () => {
  const one = launch(await freePort(), { environment: { DATABASE_URL: "postgres://me:hunter2@127.0.0.1:1/mine" } });
  expect(await one.ended).toEqual({ exitCode: 1, signal: null });
  expect(one.output()).toContain("127.0.0.1:1/mine cannot be used");
  expect(one.output()).not.toContain("hunter2");
});

test(
  `${isExtended ? "after a kill during the database setup, the next start sets it up again; " : ""}a second start in its folder is refused, and Ctrl-C stops everything`,
  async () => {
    if (isExtended) {
      const killed = launch(await freePort());
      await until(() => existsSync(databaseFolder) && existsSync(path.join(databaseFolder, "password")));
      killed.process.kill("SIGKILL");
      await killed.ended;
    }
    const port = await freePort();
    const one = launch(port);
    await one.ready();
    await untilConnected(port);
    expect(one.output()).toContain(`curl -NL http://127.0.0.1:${port}/api/v1/replay/random`);
    const counted = await fetch(`http://127.0.0.1:${port}/api/v1/feed?limit=1`);
    expect(counted.headers.get("x-ratelimit-limit")).toBe("100");

    const again = launch(await freePort());
    expect(await again.ended).toEqual({ exitCode: 1, signal: null });
    expect(again.output()).toBe(
      `Tapedeck is already running in this folder at http://127.0.0.1:${port} (process ${one.process.pid}).\n`,
    );

    await stop(one, "SIGINT");
    expect(await answers(port)).toBe(false);
    expect(await findEmbeddedPostgres(databaseFolder)).toBeUndefined();
  },
  startsTimeoutMs,
);

test.runIf(isExtended)(
  "two folders run side by side; Ctrl-C stops everything of one, and after SIGKILL the server and the worker of the other exit",
  async () => {
    const [port, otherPort] = [await freePort(), await freePort()];
    const one = launch(port);
    const other = launch(otherPort, { dataFolder: otherFolder });
    await Promise.all([one.ready(), other.ready()]);
    for (const each of [port, otherPort]) await untilConnected(each);

    await stop(one, "SIGINT");
    await untilConnected(otherPort);
    expect(await answers(port)).toBe(false);

    const servers = childrenOf(otherFolder);
    expect(servers).toHaveLength(2);
    other.process.kill("SIGKILL");
    await until(() => !servers.some((server) => isSameProcess(server)));
    expect(await answers(otherPort)).toBe(false);
  },
  startsTimeoutMs,
);

test.runIf(isExtended)(
  "a database that a newer version has migrated is refused at once, the embedded one and that of DATABASE_URL",
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "tapedeck-newer-"));
    const databaseFolder = path.join(folder, "database");
    const { url } = await startEmbeddedPostgres({ folder: databaseFolder });
    onTestFinished(async () => {
      await stopEmbeddedPostgres(databaseFolder);
      rmSync(folder, { recursive: true });
    });
    await applyMigrations(url);
    await withClient({ connectionString: url }, (client) =>
      client.query(
        "UPDATE _prisma_migrations SET migration_name = '29991231000000_later' WHERE migration_name LIKE '2026112622%'",
      ),
    );
    const external = { DATABASE_URL: url, TAPEDECK_DATA_DIR: otherFolder };
    for (const environment of [external, { DATABASE_URL: "", TAPEDECK_DATA_DIR: folder }]) {
      const one = launch(await freePort(), { environment });
      expect(await one.ended).toEqual({ exitCode: 1, signal: null });
      expect(one.output()).toMatch(/^The database was migrated by a newer version: .*29991231000000_later\. .*backup/m);
      expect(one.output()).not.toContain("starts it again");
    }
  },
  startsTimeoutMs,
);

test.runIf(isExtended)(
  "a killed server and a killed database are started again, with everything that was committed; npm run up exits with code 0 on SIGTERM",
  async () => {
    const port = await freePort();
    const one = launch(port, { command: npmRunUp });
    await one.ready();
    const url = (await findEmbeddedPostgres(databaseFolder)) as string;
    const query = (sql: string) =>
      withClient({ connectionString: url }, async (client) => (await client.query(sql)).rows);
    await query("CREATE TABLE kept_rows AS SELECT 7 AS value");

    const [server] = childrenOf(dataFolder);
    process.kill(server?.pid as number, "SIGKILL");
    await until(() => one.output().includes("The server is not running (SIGKILL)."));
    await until(() => answers(port));
    expect(childrenOf(dataFolder).map(({ pid }) => pid)).not.toContain(server?.pid);

    process.kill(postmasterOf(databaseFolder), "SIGKILL");
    await until(async () => (await isConnected(port)) === false);
    await untilConnected(port);
    expect(one.output()).toContain("The database is not running (its process is gone).");
    expect(await query("SELECT value FROM kept_rows")).toEqual([{ value: 7 }]);
    await query("DROP TABLE kept_rows");

    process.kill(postmasterOf(databaseFolder), "SIGKILL");
    for (const { pid } of childrenOf(dataFolder)) process.kill(pid, "SIGKILL");
    await stop(one);
    expect(childrenOf(dataFolder)).toEqual([]);
    expect(await findEmbeddedPostgres(databaseFolder)).toBeUndefined();
  },
  startsTimeoutMs,
);

test.runIf(isExtended)(
  "after SIGKILL, the next start on the same port works without waiting for the server and the worker to exit; npm run up stops after npm itself gets SIGKILL",
  async () => {
    const port = await freePort();
    const first = launch(port);
    await first.ready();
    const servers = childrenOf(dataFolder);
    expect(servers).toHaveLength(2);
    first.process.kill("SIGKILL");
    await first.ended;

    const second = launch(port, { command: npmRunUp });
    await second.ready();
    expect(servers.some((server) => isSameProcess(server))).toBe(false);
    await untilConnected(port);

    second.process.kill("SIGKILL");
    await until(async () => !(await answers(port)));
    await until(async () => (await findEmbeddedPostgres(databaseFolder)) === undefined);
  },
  startsTimeoutMs,
);
