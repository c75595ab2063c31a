import { connect, createServer } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createDatabase, type Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { listen } from "#tests/support/listen";
import { type OwnPostgres, startOwnPostgres } from "#tests/support/own-postgres";

/** Short, because the tests wait for it. */
const timeoutMs = 500;
/** A busy machine is slow even without a time-out. */
const patientMs = 60_000;

let postgres: OwnPostgres;
let patient: Database;

beforeAll(async () => {
  postgres = await startOwnPostgres();
  patient = createDatabase(postgres.url, patientMs);
});
afterEach(() => postgres.resume());
afterAll(async () => {
  await patient.$disconnect();
  await postgres.remove();
});

async function failureOf(work: Promise<unknown>): Promise<unknown[]> {
  const error = await work.then(
    () => "no error",
    (thrown: unknown) => thrown,
  );
  return error instanceof AppError ? [error.code, error.headers] : [error];
}

const unavailable = ["service_unavailable", { "Retry-After": "5" }];

/** Runs `use` with a client that has open connections. */
async function withImpatient(use: (client: Database) => Promise<void>, url = postgres.url): Promise<void> {
  const client = createDatabase(url, timeoutMs);
  try {
    await expect
      .poll(() => Promise.all([client.vendor.count(), client.vendor.count()]).catch(() => null))
      .not.toBeNull();
    await use(client);
  } finally {
    postgres.resume();
    await client.$disconnect();
  }
}

test("every kind of operation ends with service_unavailable while the server hangs, and works again afterwards", async () => {
  await withImpatient(async (client) => {
    postgres.hang();
    const operations = [
      client.vendor.findMany(),
      client.$queryRaw`SELECT 1`,
      client.$executeRaw`SELECT 1`,
      client.$transaction((transaction) => transaction.vendor.count()),
      client.$transaction([client.vendor.count(), client.diff.count()]),
      ...Array.from({ length: 20 }, () => client.vendor.count()),
    ];
    for (const failure of await Promise.all(operations.map(failureOf))) expect(failure).toEqual(unavailable);
    postgres.resume();
    await expect.poll(() => client.vendor.count().catch(() => null)).toBe(0);
  });
});

test("a transaction ends if its server starts to hang, and its connection is closed", async () => {
  await withImpatient(async (client) => {
    let backend = 0;
    const work = client.$transaction(async (transaction) => {
      const [row] = await transaction.$queryRaw<[{ pid: number }]>`SELECT pg_backend_pid() AS pid`;
      backend = row.pid;
      postgres.hang();
      await transaction.vendor.count();
    });
    expect(await failureOf(work)).toEqual(unavailable);
    postgres.resume();
    // A statement sent on the same connection, even ROLLBACK, would have to wait behind the one without an answer.
    const isOpen = () => patient.$queryRaw`SELECT 1 FROM pg_stat_activity WHERE pid = ${backend}`;
    // Shorter than the time after which the pool closes idle connections.
    await expect.poll(isOpen, { timeout: 15_000 }).toEqual([]);
    await expect.poll(() => client.vendor.count().catch(() => null)).toBe(0);
  });
});

test("the server cancels a statement that takes too long, and the connection is kept", async () => {
  await withImpatient(async (client) => {
    const slow = client.$queryRaw`SELECT pg_sleep(120)::text`;
    expect(await failureOf(slow)).toEqual(unavailable);
    const running = () => patient.$queryRaw`
      SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep(120)%'`;
    await expect.poll(running).toEqual([]);
  });
});

test("a server that restarts is unavailable meanwhile, and works again afterwards", async () => {
  await withImpatient(async (client) => {
    await postgres.stop();
    expect(await failureOf(client.vendor.count())).toEqual(unavailable);
    expect(await failureOf(client.$queryRaw`SELECT 1`)).toEqual(unavailable);
    expect(await failureOf(client.$transaction((transaction) => transaction.vendor.count()))).toEqual(unavailable);
    await postgres.start();
    await expect.poll(() => client.vendor.count().catch(() => null)).toBe(0);
  });
});

test("a query on a connection that the server ends is unavailable", async () => {
  const client = createDatabase(postgres.url, patientMs);
  const sleeping = failureOf(client.$queryRaw`SELECT pg_sleep(100)::text`);
  const end = () => patient.$queryRaw<object[]>`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep(100)%'`;
  await expect.poll(async () => (await end()).length).toBe(1);
  expect(await sleeping).toEqual(unavailable);
  await client.$disconnect();
});

test("mistakes in a query are not unavailability", async () => {
  const [error] = await failureOf(patient.$queryRaw`SELECT * FROM no_such_table`);
  expect(error).toMatchObject({ code: "P2010" });
});

/** Accepts connections like a pooler that does not know `statement_timeout`, and forwards the others. */
async function startPooler(port: number) {
  let rejected = 0;
  const server = createServer((client) => {
    client.on("error", () => {});
    client.once("data", (startup) => {
      if (startup.includes("statement_timeout")) {
        rejected += 1;
        const fields = "SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0";
        const head = Buffer.alloc(5, "E");
        head.writeInt32BE(fields.length + 4, 1);
        return client.end(Buffer.concat([head, Buffer.from(fields)]));
      }
      const upstream = connect(port, "127.0.0.1").on("error", () => client.destroy());
      upstream.write(startup);
      client.pipe(upstream).pipe(client);
    });
  });
  return { port: await listen(server), rejectedCount: () => rejected };
}

test("a pooler that rejects the parameter for the server's own limit is used without it", async () => {
  const url = new URL(postgres.url);
  const pooler = await startPooler(Number(url.port));
  url.port = String(pooler.port);
  const client = createDatabase(url.href, patientMs);
  expect(await client.vendor.count()).toBe(0);
  expect(await client.$transaction((transaction) => transaction.vendor.count())).toBe(0);
  expect(pooler.rejectedCount()).toBe(1);
  await client.$disconnect();
});
