/** Migrations, applied with Prisma's engine and recorded in its format: `prisma migrate deploy` can continue from there. */

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import type { SchemaEngine } from "@prisma/schema-engine-wasm";
import * as engineModule from "@prisma/schema-engine-wasm/schema_engine_bg";
import { systemClock } from "#lib/platform/clock";
import { processSingleton } from "../process-singleton";
import { migrationAdapter, migrationLockId, migrationTimeouts, releaseFailedMigrations } from "./migration-adapter";
import {
  databaseReason,
  migrationStatus,
  readMigrations,
  readSchema,
  requireKnownMigrations,
  writeMigration,
} from "./migration-files";
import { withClient } from "./postgres-connection";

const filters = { externalTables: [], externalEnums: [] };

/**
 * Applies pending migrations, those that failed before too, and returns their names. Safe to run concurrently, also behind a
 * pooler. Throws DatabaseRefusedError before anything is changed if the database has migrations that this version has not.
 */
export async function applyMigrations(url: string): Promise<string[]> {
  const migrationsList = await readMigrations();
  return withClient({ connectionString: url, ...migrationTimeouts }, async (client) => {
    await client.query("BEGIN");
    await client.query("SELECT pg_advisory_xact_lock($1)", [migrationLockId]);
    const status = await migrationStatus(url);
    requireKnownMigrations(status);
    if (status.unfinished.length > 0) await releaseFailedMigrations(url);
    return withSchemaEngine(url, async (engine) => {
      const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters });
      return appliedMigrationNames;
    });
  });
}

/**
 * Returns the SQL that changes the schema of the migrations to that of `schema.prisma`; undefined if they agree. Applies
 * the migrations in a shadow database on the server of `url`, which must allow CREATE DATABASE.
 */
export async function schemaDrift(url: string): Promise<string | undefined> {
  const [migrations, schema] = await Promise.all([readMigrations(), readSchema()]);
  return withSchemaEngine(url, async (engine) => {
    const { exitCode, stdout } = await engine.diff({
      from: { tag: "migrations", ...migrations },
      to: { tag: "schemaDatamodel", ...schema },
      script: true,
      exitCode: true,
      filters,
    });
    return exitCode === 0 ? undefined : (stdout ?? "");
  });
}

/** Writes the drift as a new migration. Returns its folder, or undefined if there is no drift. */
export async function authorMigration(url: string, name: string, clock = systemClock): Promise<string | undefined> {
  if (!/^[a-z][a-z0-9_]*$/.test(name))
    throw new Error(`The name of a migration must be like "fleet_members", not "${name}".`);
  const script = await schemaDrift(url);
  return script === undefined ? undefined : writeMigration(name, script, clock.now());
}

type EngineExports = WebAssembly.Exports & { __wbindgen_start(): void };
type EngineBindings = typeof engineModule & { __wbg_set_wasm(exports: WebAssembly.Exports): void };

/** Loads the WebAssembly by hand: the package's entry imports it as a module, which Node 20 does not support. */
async function loadEngine(): Promise<EngineBindings> {
  const loaded = engineModule as EngineBindings;
  const file = createRequire(import.meta.url)
    .resolve("@prisma/schema-engine-wasm/schema_engine_bg")
    .replace(/\.js$/, ".wasm");
  const { instance } = await WebAssembly.instantiate(await readFile(file), {
    "./schema_engine_bg.js": loaded as unknown as WebAssembly.ModuleImports,
  });
  loaded.__wbg_set_wasm(instance.exports);
  (instance.exports as EngineExports).__wbindgen_start();
  return loaded;
}

/** Runs `use` with Prisma's schema engine on the database at `url`. Throws an Error with the engine's message. */
async function withSchemaEngine<T>(url: string, use: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  // The package has one instance per process: a second one would break the first.
  const { SchemaEngine } = await processSingleton("schema-engine", loadEngine);
  const { files } = await readSchema();
  const datamodels = files.map(({ path, content }): [string, string] => [path, content]);
  const adapter = migrationAdapter(url);
  try {
    const engine = await SchemaEngine.new(
      { datamodels },
      () => {},
      bindMigrationAwareSqlAdapterFactory(adapter.factory),
    );
    try {
      return await use(engine);
    } finally {
      engine.free();
    }
  } catch (cause) {
    throw new Error(engineMessage(cause), { cause });
  } finally {
    await adapter.close();
  }
}

const neededRights =
  "The account must own the database, or have CREATE on it and on its schema public. Once it has, the next start applies the migrations.";

/** Returns the message of what the engine threw: a plain object, or an error with its own stack in the message. */
function engineMessage(cause: unknown): string {
  if (cause instanceof Error) {
    const reason = databaseReason(cause.message);
    return /permission denied for (database|schema)/.test(reason) ? `${reason}. ${neededRights}` : reason;
  }
  if (typeof cause === "string") return cause;
  return JSON.stringify(cause);
}
