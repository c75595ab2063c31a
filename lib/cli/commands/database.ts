import path from "node:path";
import type { Command } from "commander";
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
import { CommandFailure } from "../failure";
import { describeUrl, forgetDatabase, keepDatabase, openDatabase } from "../launcher/open-database";

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

async function start(): Promise<void> {
  const folder = requireEmbedded();
  const server = await withProgress("Starting the database", () => startEmbeddedPostgres({ folder }));
  keepDatabase();
  printLine(`${server.isAdopted ? "Already running" : "Started"}: ${describeUrl(server.url)}`);
}

async function stop(): Promise<void> {
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
}

async function currentUrl(): Promise<string | undefined> {
  return config().DATABASE_URL ?? (await findEmbeddedPostgres(embeddedDatabaseFolder()));
}

async function url(): Promise<void> {
  const address = await currentUrl();
  if (!address) throw new Error(`The embedded database is not running. Start it: ${commandLine("database start")}`);
  printLine(address);
}

/** Prints whether the database answers. Throws CommandFailure if it does not. */
async function status(json: boolean): Promise<void> {
  const kind = config().DATABASE_URL === undefined ? "embedded" : "external";
  const address = await currentUrl();
  const client = address === undefined ? undefined : createDatabase(address);
  const answers = client !== undefined && (await pingDatabase(client, statusTimeoutMs));
  await client?.$disconnect();
  const place = address === undefined ? null : describeUrl(address);
  if (json) printLine(JSON.stringify({ kind, address: place, answers }));
  else printLine(`${kind}${place ? ` at ${place}` : ""}: ${answers ? "answers" : "does not answer"}`);
  if (!answers) throw new CommandFailure("");
}

/** Opens the database, prints what `use` returns, and ends this process at once, although connections may be open. */
async function withOpenDatabase(use: (url: string) => Promise<string>): Promise<void> {
  const database = await openDatabase();
  try {
    printLine(await use(database.url));
  } finally {
    await database.release();
  }
  process.exit();
}

async function migrate(url: string): Promise<string> {
  const names = await applyMigrations(url);
  return names.length ? names.map((name) => `applied ${name}`).join("\n") : "No pending migrations.";
}

async function newMigration(url: string, name: string): Promise<string> {
  const folder = await authorMigration(url, name);
  return folder ? `Wrote ${path.relative(packageRoot, folder)}` : "The migrations match the schema: nothing to write.";
}

export function addDatabaseCommand(program: Command): void {
  const database = program.command("database").description("manage the embedded PostgreSQL and the migrations");
  database.command("start").description("start the embedded server and leave it running").action(start);
  database.command("stop").description("stop the embedded server").action(stop);
  database
    .command("status")
    .description("show whether the database answers")
    .option("--json", "print JSON")
    .action(({ json = false }: { json?: boolean }) => status(json));
  database.command("url").description("print the URL for DATABASE_URL, including the password").action(url);
  database
    .command("migrate")
    .description("apply pending migrations")
    .action(() => withOpenDatabase(migrate));
  database
    .command("new-migration <name>")
    .description("write the changes of prisma/schema.prisma as a migration, such as fleet_members")
    .action((name: string) => withOpenDatabase((url) => newMigration(url, name)));
}
