import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import path from "node:path";
import { Client } from "pg";
import { afterAll, expect, test } from "vitest";
import {
  findEmbeddedPostgres,
  startEmbeddedPostgres,
  stopEmbeddedPostgres,
} from "#lib/platform/database/embedded-postgres";
import { dataFolder } from "#lib/platform/database/paths";
import { isSameProcess, processToken } from "../../../lib/platform/processes.mjs";
import { until } from "../../support/launcher";

const goneTimeoutMs = 10_000;
const parent = mkdtempSync(path.join(dataFolder(), "test-embedded-"));
const folder = path.join(parent, "one");
const copy = path.join(parent, "two");
const postmaster = path.join(folder, "cluster", "postmaster.pid");

afterAll(async () => {
  for (const each of [folder, copy]) await stopEmbeddedPostgres(each);
  rmSync(parent, { recursive: true, force: true });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test("three starts at once give one server, on 127.0.0.1 alone, with a password that only its owner can read", async () => {
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

test("a server killed by force starts again on its port, and keeps what was acknowledged", async () => {
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

test("a copy of the folder, made while the server runs, becomes a server of its own", async () => {
  const { url, port } = await startEmbeddedPostgres({ folder });
  await query(url, "CHECKPOINT");
  cpSync(folder, copy, { recursive: true, filter: (file) => !file.endsWith(`${path.sep}lock`) });
  const second = await startEmbeddedPostgres({ folder: copy });
  expect(second.isAdopted).toBe(false);
  expect(second.port).not.toBe(port);
  expect(await stopEmbeddedPostgres(copy)).toBe(true);
  expect(await findEmbeddedPostgres(folder)).toBe(url);
});

test("a note of a number that now belongs to another process is no obstacle", async () => {
  const { port } = await startEmbeddedPostgres({ folder });
  const note = readFileSync(postmaster, "utf8");
  expect(await stopEmbeddedPostgres(folder)).toBe(true);
  writeFileSync(postmaster, note.replace(/^\d+/, String(process.pid)));
  expect(await findEmbeddedPostgres(folder)).toBeUndefined();
  expect(await startEmbeddedPostgres({ folder })).toMatchObject({ port, isAdopted: false });
});

test("where another program has taken the port meanwhile, the server moves to a free one", async () => {
  const { port } = await startEmbeddedPostgres({ folder });
  expect(await stopEmbeddedPostgres(folder)).toBe(true);
  const neighbour = createServer().listen(port, "127.0.0.1");
  await new Promise((resolve) => neighbour.once("listening", resolve));
  const moved = await startEmbeddedPostgres({ folder });
  expect(moved.port).not.toBe(port);
  expect(await query(moved.url, "SELECT value FROM kept")).toEqual([{ value: 42 }]);
  neighbour.close();
});

test("stopping is done once: a second stop, and one where nothing was ever started, find nothing", async () => {
  expect(await stopEmbeddedPostgres(folder)).toBe(true);
  expect(await stopEmbeddedPostgres(folder)).toBe(false);
  expect(await stopEmbeddedPostgres(path.join(parent, "none"))).toBe(false);
  expect(await findEmbeddedPostgres(folder)).toBeUndefined();
});
