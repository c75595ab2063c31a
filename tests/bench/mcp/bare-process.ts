/** The SDK on plain node:http with our free tools: the cost of a server that does nothing else. Prints its port. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { sites } from "#lib/contract/sites";
import { catalogue } from "#lib/replay/cassettes/index";
import { listTools } from "#lib/server/mcp/registry";
import type { ToolContext } from "#lib/server/mcp/tool-context";

const [site] = sites;
const origin = "http://127.0.0.1";
const context = { catalogue: catalogue(), origin, site } as unknown as ToolContext;

const tools = await listTools("stateless", "free");

/** As in the SDK's documentation: creates a server with its tools for every request. */
function makeServer(): McpServer {
  const server = new McpServer({ name: "bare", version: "1.0.0" });
  for (const { tool } of tools) {
    const { name, title, description, annotations, input: inputSchema, output: outputSchema } = tool;
    server.registerTool(name, { title, description, annotations, inputSchema, outputSchema }, async (input) => {
      const result = (await tool.run(context, input)) as Record<string, unknown>;
      return { structuredContent: result, content: [{ type: "text", text: JSON.stringify(result) }] };
    });
  }
  return server;
}

const stateless = createMcpHandler(makeServer);
const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

/** As in the SDK's documentation: keeps sessions in the memory of the process. */
async function answerInSession(request: Request): Promise<Response> {
  const known = sessions.get(request.headers.get("mcp-session-id") ?? "");
  if (known) return known.handleRequest(request);
  const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => {
      sessions.set(id, transport);
    },
    enableJsonResponse: true,
  });
  await makeServer().connect(transport);
  return transport.handleRequest(request);
}

async function toRequest(message: IncomingMessage): Promise<Request> {
  const parts: Uint8Array[] = [];
  for await (const part of message) parts.push(part);
  const headers = new Headers(message.headers as Record<string, string>);
  return new Request(`${origin}${message.url}`, { method: "POST", headers, body: Buffer.concat(parts) });
}

const server = createServer(async (message, response) => {
  const request = await toRequest(message);
  const answer = message.url === "/sessions" ? await answerInSession(request) : await stateless.fetch(request);
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(await answer.text());
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
