import type { IncomingMessage, ServerResponse } from "node:http";
import { childEnvironment, withEnvironment } from "#lib/platform/config";
import { DeclaredOperations } from "#tests/faults/fuzz/find-problems";
import { createTestDatabase } from "./database";
import { LoopbackServer } from "./loopback-server";
import { takeSingletons } from "./own-singletons";
import { testKeys } from "./webhook-receivers";

type Sent = { method: string; path: string; target: string; init?: RequestInit };

/**
 * Serves all endpoints as the Node server does, without the pages of Next, on a database of their own, and compares answers with
 * their declarations.
 */
export async function serveEndpoints() {
  const database = await createTestDatabase();
  const giveBack = takeSingletons();
  const environment = childEnvironment({
    DATABASE_URL: database.url,
    LOG_LEVEL: "silent",
    ENCRYPTION_KEYS: testKeys.map((key) => key.toString("base64")).join(","),
    MAIL_FROM: "Tapedeck <alerts@tapedeck.example>",
    SMTP_URL: "smtp://127.0.0.1:9",
    BASE_URL: "https://tapedeck.example",
  });
  const [{ groups }, { handlerBeforeNext }, { getOpenApiDocument }] = await Promise.all([
    import("#app/bindings"),
    import("#lib/server/http/node-server"),
    import("#app/endpoints"),
  ]);
  const handle = withEnvironment(environment, () => handlerBeforeNext(groups));
  const notFound = { "content-type": "text/html" };
  class Server extends LoopbackServer {
    protected handle(request: IncomingMessage, response: ServerResponse) {
      const page = () => response.writeHead(404, notFound).end("a page of Next");
      return withEnvironment(environment, () => handle(request, response, page));
    }
  }
  const server = await new Server().start();
  const { origin } = server;
  const declared = new DeclaredOperations(
    JSON.parse(getOpenApiDocument({ origin })) as ConstructorParameters<typeof DeclaredOperations>[0],
  );
  return {
    database,
    origin,
    operations: declared.operations,
    /** Sends a request to an operation. Returns the status, and what its declaration does not say about the answer. */
    async findUndeclared({ method, path, target, init = {} }: Sent): Promise<{ status: number; problems: string[] }> {
      const operation = declared.operations.find((one) => one.method === method && one.path === path);
      if (!operation) throw new Error(`There is no operation ${method} ${path}.`);
      const response = await fetch(`${origin}${target}`, { redirect: "manual", ...init, method: method.toUpperCase() });
      const { status } = response;
      const contentType = response.headers.get("content-type") ?? "";
      // Some streams of events have no end.
      const isStream = contentType.startsWith("text/event-stream");
      if (isStream) await response.body?.cancel();
      const body = isStream ? "" : await response.text();
      return { status, problems: declared.findProblems(operation, { status, contentType, body }) };
    },
    async close() {
      await server.close();
      await giveBack();
      await database.drop();
    },
  };
}
