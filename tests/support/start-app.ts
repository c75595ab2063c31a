import { resolve } from "node:path";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres, stopEmbeddedPostgres } from "#lib/platform/database/embedded-postgres";
import { createDatabase } from "#lib/platform/database/index";
import { applyMigrations } from "#lib/platform/database/migrate";
import { runCli } from "./run-cli";
import { serve } from "./serve";

declare module "vitest" {
  export interface ProvidedContext {
    /** The self-hosted server: replay is mounted on Node in front of Next. */
    baseUrl: string;
    /** Plain `next start`: replay goes through the route handler, as on Vercel. */
    routeUrl: string;
    databaseUrl: string;
  }
}

/** The rows that `npm run up` brings in, made anew: the folder outlives a run, and the samples' past is told from today. */
async function seedApp(url: string): Promise<void> {
  const database = createDatabase(url);
  try {
    await database.vendor.deleteMany();
    await database.limitWindow.deleteMany();
  } finally {
    await database.$disconnect();
  }
  const { code, stderr } = await runCli(["seed", "--samples"], { environment: { DATABASE_URL: url } });
  if (code !== 0) throw new Error(`The samples could not be seeded: ${stderr}`);
}

/** Starts the built app on a real PostgreSQL, once per test project and in both ways of mounting replay. */
export default async function startApp(project: TestProject): Promise<() => Promise<void>> {
  const folder = resolve(import.meta.dirname, "../../.tapedeck", `test-${project.name}`);
  const { url } = await startEmbeddedPostgres({ folder });
  await applyMigrations(url);
  await seedApp(url);
  const environment = { DATABASE_URL: url, LOG_LEVEL: "warn" };
  const [node, route] = await Promise.all([serve("node", environment), serve("route", environment)]);
  project.provide("baseUrl", node.origin);
  project.provide("routeUrl", route.origin);
  project.provide("databaseUrl", url);
  return async () => {
    await Promise.all([node.stop(), route.stop()]);
    await stopEmbeddedPostgres(folder);
  };
}
