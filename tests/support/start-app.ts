import { existsSync } from "node:fs";
import type { TestProject } from "vitest/node";
import { createTestDatabase } from "./database";
import { runCli } from "./run-cli";
import { freePort, serve } from "./serve";

declare module "vitest" {
  export interface ProvidedContext {
    /** The self-hosted server: replay and MCP run on `node:http` in front of Next. It says that it fetches nothing. */
    baseUrl: string;
    /** Process of the server at `baseUrl`. */
    serverPid: number;
    /** Plain `next start`: replay and MCP run as route handlers, as on Vercel. It has a contact, and says that it fetches. */
    routeUrl: string;
    databaseUrl: string;
    /** A free port of 127.0.0.1, to which the server at `baseUrl` sends webhooks. */
    receiverPort: number;
  }
}

/** Timeouts that a busy machine does not reach. Tests of timeouts start their own app. */
export const longTimeouts = { LIMIT_STORE_TIMEOUT_MS: "60000", DATABASE_TIMEOUT_MS: "60000" };

/** Where vendors and webhooks of the docs are on `baseUrl`: no name is resolved, and nothing listens there. */
export const docsHost = "127.0.0.16:9";

/** Where vendors of accounts are, like `docsHost`. */
export const accountHosts = ["127.0.0.17:9", "127.0.0.18:9"];

/** With it, jobs of the server at `baseUrl` can be started. */
export const cronSecret = "a-secret-of-the-tests";

/** Where the pages of `routeUrl` say that keys can be had. */
export const supportContact = "help@tapes.example";

/** The key of `testKeys`, whose module would load much of lib into this process. */
const encryptionKeys = Buffer.alloc(32, 7).toString("base64");

/** Starts the app, and tells why it does not start: Vitest fails on the stack of an error of a module of its cache. */
export default function setUp(project: TestProject): Promise<() => Promise<void>> {
  return startApp(project).catch((error: Error) => {
    const hint = existsSync(".next/BUILD_ID") ? "" : '\nThe app is not built: run "npm run build".';
    throw Object.assign(error, { message: error.message + hint, stack: "" });
  });
}

/** Starts the built app with both adapters on a seeded PostgreSQL database, once per run. */
async function startApp(project: TestProject): Promise<() => Promise<void>> {
  const database = await createTestDatabase();
  const environment = { DATABASE_URL: database.url, LOG_LEVEL: "warn", ...longTimeouts };
  const { code, stderr } = await runCli(["seed", "--samples"], { environment });
  if (code !== 0) throw new Error(`The samples could not be seeded: ${stderr}`);
  const receiverPort = await freePort();
  const [node, route] = await Promise.all([
    serve("node", {
      ...environment,
      VENDOR_FETCHING: "off",
      ENCRYPTION_KEYS: encryptionKeys,
      CRON_SECRET: cronSecret,
      OUTBOUND_ALLOWED_HOSTS: [docsHost, ...accountHosts, `127.0.0.1:${receiverPort}`].join(","),
    }),
    serve("route", { ...environment, VENDOR_FETCHING: "on", SUPPORT_CONTACT: supportContact }),
  ]);
  project.provide("baseUrl", node.origin);
  project.provide("serverPid", node.pid);
  project.provide("routeUrl", route.origin);
  project.provide("databaseUrl", database.url);
  project.provide("receiverPort", receiverPort);
  return async () => {
    await Promise.all([node.stop(), route.stop()]);
    await database.drop();
    const logs = node.output() + route.output();
    const [line] = /.*(?:whsec_|a-secret-of-the-tests|MaxListenersExceededWarning).*/.exec(logs) ?? [];
    if (line === undefined) return;
    // An error here would not fail the run.
    console.error(`A log has a secret or a warning: ${line}`);
    process.exitCode = 1;
  };
}
