import type { TestProject } from "vitest/node";
import { createTestDatabase } from "./database";
import { runCli } from "./run-cli";
import { serve } from "./serve";

declare module "vitest" {
  export interface ProvidedContext {
    /** The self-hosted server: replay and MCP run on `node:http` in front of Next. It says that it fetches nothing. */
    baseUrl: string;
    /** Process of the server at `baseUrl`. */
    serverPid: number;
    /** Plain `next start`: replay and MCP run as route handlers, as on Vercel. It has a contact, and says that it fetches. */
    routeUrl: string;
    databaseUrl: string;
  }
}

/** Timeouts that a busy machine does not reach. Tests of timeouts start their own app. */
export const longTimeouts = { LIMIT_STORE_TIMEOUT_MS: "60000", DATABASE_TIMEOUT_MS: "60000" };

/** Where vendors and webhooks of the docs are on `baseUrl`: no name is resolved, and nothing listens there. */
export const docsHost = "127.0.0.16:9";

/** Where the pages of `routeUrl` say that keys can be had. */
export const supportContact = "help@tapes.example";

/** The key of `testKeys`, whose module would load much of lib into this process. */
const encryptionKeys = Buffer.alloc(32, 7).toString("base64");

/** Starts the built app with both adapters on a seeded PostgreSQL database, once per run. */
export default async function startApp(project: TestProject): Promise<() => Promise<void>> {
  const database = await createTestDatabase();
  const environment = { DATABASE_URL: database.url, LOG_LEVEL: "warn", ...longTimeouts };
  const { code, stderr } = await runCli(["seed", "--samples"], { environment });
  if (code !== 0) throw new Error(`The samples could not be seeded: ${stderr}`);
  const [node, route] = await Promise.all([
    serve("node", {
      ...environment,
      VENDOR_FETCHING: "off",
      ENCRYPTION_KEYS: encryptionKeys,
      OUTBOUND_ALLOWED_HOSTS: docsHost,
    }),
    serve("route", { ...environment, VENDOR_FETCHING: "on", SUPPORT_CONTACT: supportContact }),
  ]);
  project.provide("baseUrl", node.origin);
  project.provide("serverPid", node.pid);
  project.provide("routeUrl", route.origin);
  project.provide("databaseUrl", database.url);
  return async () => {
    await Promise.all([node.stop(), route.stop()]);
    await database.drop();
  };
}
