import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import {
  findEmbeddedPostgres,
  startEmbeddedPostgres,
  stopEmbeddedPostgres,
} from "#lib/platform/database/embedded-postgres";
import { dataFolder } from "#lib/platform/database/paths";
import { withClient } from "#lib/platform/database/postgres-connection";
import { itExtended } from "#tests/support/extended";
import { isSameProcess, processToken } from "../../../lib/platform/processes.mjs";
import { until } from "../../support/launcher";

const goneTimeoutMs = 10_000;
mkdirSync(dataFolder(), { recursive: true });
const parent = mkdtempSync(path.join(dataFolder(), "test-embedded-"));
const folder = path.join(parent, "one");
const copy = path.join(parent, "two");
const postmaster = path.join(folder, "cluster", "postmaster.pid");

afterAll(async () => {
  for (const each of [folder, copy]) await stopEmbeddedPostgres(each);
  rmSync(parent, { recursive: true, force: true });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  return (await withClient({ connectionString: url }, (client) => client.query(sql))).rows;
}

test("three concurrent starts share one server, only on 127.0.0.1, with a password that only its owner can read", async () => {
  const servers = await Promise.all([1, 2, 3].map(() => startEmbeddedPostgres({ folder })));
  expect(new Set(servers.map(({ url }) => url)).size).toBe(1);
  expect(servers.filter(({ isAdopted }) => !isAdopted)).toHaveLength(1);
  const [{ url, port } = { url: "", port: 0 }] = servers;
  expect(await query(url, "SHOW listen_addresses")).toEqual([{ listen_addresses: "127.0.0.1" }]);
  expect(statSync(path.join(folder, "password")).mode & 0o777).toBe(0o600);
  await expect(query(url.replace(/:[^:@]+@/, ":wrong@"), "SELECT 1")).rejects.toThrow("password authentication failed");
  expect(await findEmbeddedPostgres(folder)).toBe(url);
  connect(port, "127.0.0.1").destroy();
});

test("a server killed with SIGKILL restarts on its port without losing acknowledged data", async () => {
  const { url } = await startEmbeddedPostgres({ folder });
  await query(url, "CREATE TABLE kept (value int)");
  await query(url, "INSERT INTO kept VALUES (42)");
  const pid = Number(readFileSync(postmaster, "utf8").split("\n")[0]);
  const killed = { pid, token: processToken(pid) ?? "" };
  process.kill(pid, "SIGKILL");
  await until(() => !isSameProcess(killed), goneTimeoutMs);

  const again = await startEmbeddedPostgres({ folder });
  expect(again).toEqual({ ...again, url, isAdopted: false });
  expect(await query(url, "SELECT value FROM kept")).toEqual([{ value: 42 }]);
});

itExtended("a killed server keeps its port, even if one of its processes still has it", async () => {
  const { url, port } = await startEmbeddedPostgres({ folder });
  const pid = Number(readFileSync(postmaster, "utf8").split("\n")[0]);
  const killed = { pid, token: processToken(pid) ?? "" };
  process.kill(pid, "SIGKILL");
  await until(() => !isSameProcess(killed), goneTimeoutMs);
  const remaining = createServer();
  await until(
    () =>
      new Promise((resolve) => {
        remaining.once("error", () => resolve(false));
        remaining.listen(port, "127.0.0.1", () => resolve(true));
      }),
    goneTimeoutMs,
  );
  const starting = startEmbeddedPostgres({ folder });
  setTimeout(() => remaining.close(), 200);
  expect((await starting).url).toBe(url);
});

itExtended("a copy of the folder, taken while the server runs, starts as a separate server", async () => {
  const { url, port } = await startEmbeddedPostgres({ folder });
  await query(url, "CHECKPOINT");
  cpSync(folder, copy, { recursive: true, filter: (file) => !file.endsWith(`${path.sep}lock`) });
  const second = await startEmbeddedPostgres({ folder: copy });
  expect(second.isAdopted).toBe(false);
  expect(second.port).not.toBe(port);
  expect(await stopEmbeddedPostgres(copy)).toBe(true);
  expect(await findEmbeddedPostgres(folder)).toBe(url);
});

test("a postmaster.pid whose PID now belongs to another process does not prevent a start", async () => {
  const { port } = await startEmbeddedPostgres({ folder });
  const pidFile = readFileSync(postmaster, "utf8");
  expect(await stopEmbeddedPostgres(folder)).toBe(true);
  writeFileSync(postmaster, pidFile.replace(/^\d+/, String(process.pid)));
  expect(await findEmbeddedPostgres(folder)).toBeUndefined();
  expect(await startEmbeddedPostgres({ folder })).toMatchObject({ port, isAdopted: false });
});

itExtended("the server moves to a free port if another program has taken its port", async () => {
  const { port } = await startEmbeddedPostgres({ folder });
  expect(await stopEmbeddedPostgres(folder)).toBe(true);
  const other = createServer().listen(port, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const moved = await startEmbeddedPostgres({ folder });
  expect(moved.port).not.toBe(port);
  expect(await query(moved.url, "SELECT value FROM kept")).toEqual([{ value: 42 }]);
  other.close();
});

test("stopping returns false if no server is running, or none was ever started", async () => {
  expect(await stopEmbeddedPostgres(folder)).toBe(true);
  expect(await stopEmbeddedPostgres(folder)).toBe(false);
  expect(await stopEmbeddedPostgres(path.join(parent, "none"))).toBe(false);
  expect(await findEmbeddedPostgres(folder)).toBeUndefined();
});

itExtended(
  "garbage in the port file and in the postmaster file neither stops a running server nor prevents a start",
  async () => {
    const { url } = await startEmbeddedPostgres({ folder });
    for (const garbage of ["many", "99999999", ""]) {
      writeFileSync(path.join(folder, "port"), garbage);
      expect(await startEmbeddedPostgres({ folder })).toMatchObject({ url, isAdopted: true });
    }
    const valid = readFileSync(postmaster, "utf8").split("\n");
    await stopEmbeddedPostgres(folder);
    for (const lines of [
      ["garbage"],
      ["garbage", ...valid.slice(1)],
      ["-1", ...valid.slice(1)],
      ["1", valid[1] as string, "x", "y"],
    ]) {
      writeFileSync(postmaster, `${lines.join("\n")}\n`);
      const started = await startEmbeddedPostgres({ folder });
      expect(started.isAdopted).toBe(false);
      expect(await query(started.url, "SELECT value FROM kept")).toEqual([{ value: 42 }]);
      await stopEmbeddedPostgres(folder);
    }
  },
);
