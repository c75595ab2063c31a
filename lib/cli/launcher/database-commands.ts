import path from "node:path";
import { commandLine } from "#lib/platform/command-line";
import { config } from "#lib/platform/config";
import {
  findEmbeddedPostgres,
  startEmbeddedPostgres,
  stopEmbeddedPostgres,
} from "#lib/platform/database/embedded-postgres";
import { createDatabase, pingDatabase } from "#lib/platform/database/index";
import { applyMigrations, authorMigration } from "#lib/platform/database/migrate";
import { dataFolder, embeddedDatabaseFolder, packageRoot } from "#lib/platform/database/paths";
import { tryFileLock } from "../../platform/processes.mjs";
import { withProgress } from "../bootstrap/processes.mjs";
import { describeUrl, forgetDatabase, keepDatabase, openDatabase } from "./open-database";

/** A command has to connect first, which takes its time on a busy machine. */
const statusTimeoutMs = 10_000;

const printLine = (line: string) => process.stdout.write(`${line}\n`);

function requireEmbedded(): string {
  if (config().DATABASE_URL !== undefined) {
    throw new Error(
      "DATABASE_URL is set, so that server is used. This command only starts and stops the embedded one.",
    );
  }
  return embeddedDatabaseFolder();
}

export async function start(): Promise<number> {
  const folder = requireEmbedded();
  const server = await withProgress("Starting the database", () => startEmbeddedPostgres({ folder }));
  keepDatabase();
  printLine(`${server.isAdopted ? "Already running" : "Started"}: ${describeUrl(server.url)}`);
  return 0;
}

export async function stop(): Promise<number> {
  const folder = requireEmbedded();
  forgetDatabase();
  const { release, holder } = tryFileLock(path.join(dataFolder(), "launcher.lock"));
  if (!release)
    throw new Error(`Tapedeck is using the database (process ${holder?.pid ?? "unknown"}). Stop Tapedeck instead.`);
  try {
    printLine((await stopEmbeddedPostgres(folder)) ? "Stopped." : "The server was not running.");
  } finally {
    release();
  }
  return 0;
}

async function currentUrl(): Promise<string | undefined> {
  return config().DATABASE_URL ?? (await findEmbeddedPostgres(embeddedDatabaseFolder()));
}

export async function url(): Promise<number> {
  const address = await currentUrl();
  if (!address) throw new Error(`The embedded database is not running. Start it: ${commandLine("database start")}`);
  printLine(address);
  return 0;
}

/** Returns exit code 0 if the database answers, else 1. */
export async function status(json: boolean): Promise<number> {
  const kind = config().DATABASE_URL === undefined ? "embedded" : "external";
  const address = await currentUrl();
  const client = address === undefined ? undefined : createDatabase(address);
  const answers = client !== undefined && (await pingDatabase(client, statusTimeoutMs));
  await client?.$disconnect();
  const place = address === undefined ? null : describeUrl(address);
  if (json) printLine(JSON.stringify({ kind, address: place, answers }));
  else printLine(`${kind}${place ? ` at ${place}` : ""}: ${answers ? "answers" : "does not answer"}`);
  return answers ? 0 : 1;
}

export async function migrate(): Promise<number> {
  const database = await openDatabase();
  try {
    const names = await applyMigrations(database.url);
    printLine(names.length ? names.map((name) => `applied ${name}`).join("\n") : "No pending migrations.");
  } finally {
    await database.release();
  }
  return 0;
}

export async function newMigration(name: string): Promise<number> {
  const database = await openDatabase();
  try {
    const folder = await authorMigration(database.url, name);
    printLine(
      folder ? `Wrote ${path.relative(packageRoot, folder)}` : "The migrations match the schema: nothing to write.",
    );
  } finally {
    await database.release();
  }
  return 0;
}
