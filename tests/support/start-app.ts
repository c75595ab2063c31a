import type { TestProject } from "vitest/node";
import { createTestDatabase } from "./database";
import { runCommand } from "./run-cli";
import { serve } from "./serve";

declare module "vitest" {
  export interface ProvidedContext {
    /** The self-hosted server: replay and MCP run on `node:http` in front of Next. */
    baseUrl: string;
    /** Plain `next start`: replay and MCP run as route handlers, as on Vercel. */
    routeUrl: string;
    databaseUrl: string;
  }
}

/** Timeouts that a busy machine does not reach. Tests of timeouts start their own app. */
export const longTimeouts = { LIMIT_STORE_TIMEOUT_MS: "60000", DATABASE_TIMEOUT_MS: "60000" };

/** Starts the built app with both adapters on a seeded PostgreSQL database, once per run. */
export default async function startApp(project: TestProject): Promise<() => Promise<void>> {
  const database = await createTestDatabase();
  const environment = { DATABASE_URL: database.url, LOG_LEVEL: "warn", ...longTimeouts };
  const { code, stderr } = await runCommand(["seed", "--samples"], { environment });
  if (code !== 0) throw new Error(`The samples could not be seeded: ${stderr}`);
  const [node, route] = await Promise.all([serve("node", environment), serve("route", environment)]);
  project.provide("baseUrl", node.origin);
  project.provide("routeUrl", route.origin);
  project.provide("databaseUrl", database.url);
  return async () => {
    await Promise.all([node.stop(), route.stop()]);
    await database.drop();
  };
}
