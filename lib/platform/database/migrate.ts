/** Migrations, applied with Prisma's engine and recorded in its format: `prisma migrate deploy` can continue from there. */
import { systemClock } from "#lib/platform/clock";
import { readMigrations, readSchema, writeMigration } from "./migration-files";
import { withSchemaEngine } from "./schema-engine";

const filters = { externalTables: [], externalEnums: [] };

/** Applies pending migrations and returns their names. Safe to run concurrently: the engine takes a lock. */
export async function applyMigrations(url: string): Promise<string[]> {
  const migrationsList = await readMigrations();
  return withSchemaEngine(url, async (engine) => {
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters });
    return appliedMigrationNames;
  });
}

/**
 * Returns the SQL that leads from the migrations to `schema.prisma`; undefined if they agree. Applies the migrations in a
 * shadow database on the server of `url`, which must allow CREATE DATABASE.
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
