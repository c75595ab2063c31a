/** Schema changes, by Prisma's own engine and in its own records: `prisma migrate deploy` goes on from there. */
import { systemClock } from "#lib/platform/clock";
import { readMigrations, readSchema, writeMigration } from "./migration-files";
import { withSchemaEngine } from "./schema-engine";

const filters = { externalTables: [], externalEnums: [] };

/** Applies what is missing and returns its names. Several processes may do so at once: the engine takes a lock. */
export async function applyMigrations(url: string): Promise<string[]> {
  const migrationsList = await readMigrations();
  return withSchemaEngine(url, async (engine) => {
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters });
    return appliedMigrationNames;
  });
}

/**
 * SQL that leads from the migrations to `schema.prisma`; undefined where they agree. Plays the migrations in a
 * shadow database beside the one at `url`, which therefore must allow CREATE DATABASE.
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

/** Writes the drift down as a new migration. Returns its folder, or undefined where there is nothing to write. */
export async function authorMigration(url: string, name: string, clock = systemClock): Promise<string | undefined> {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new Error(`A migration's name is like "fleet_members", not "${name}".`);
  const script = await schemaDrift(url);
  return script === undefined ? undefined : writeMigration(name, script, clock.now());
}
