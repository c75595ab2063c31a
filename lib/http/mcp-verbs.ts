import {
  answerMcp,
  type callMcpEndpoint,
  checkMessage,
  type getMcpIdentityEndpoint,
  mcpIdentity,
} from "#lib/mcp/index";
import { AppError } from "#lib/platform/errors";
import type { RequestContext } from "./context";
import type { InputOf } from "./endpoint";
import { jsonReply, type Reply } from "./reply";

/** The identity; a client that wants an event stream hears at once that there is none, or it would ask each second. */
export function identifyMcp(_context: RequestContext, { header }: InputOf<typeof getMcpIdentityEndpoint>) {
  const accept = header("accept") ?? "";
  if (accept.includes("text/event-stream") && !accept.includes("application/json")) {
    throw new AppError("method_not_allowed", "This endpoint keeps no event stream open. POST JSON-RPC requests.", {
      headers: { Allow: "GET, HEAD, POST, OPTIONS" },
    });
  }
  return mcpIdentity();
}

export async function answerMcpPost(
  context: RequestContext,
  { rawBody, headers }: InputOf<typeof callMcpEndpoint>,
): Promise<Reply> {
  const rejection = checkMessage(rawBody);
  if (rejection) return jsonReply(rejection, 400);
  const response = await answerMcp(headers(), rawBody, context);
  const type = response.headers.get("content-type");
  const text = await response.text();
  return {
    status: response.status,
    headers: { "Cache-Control": "no-store", ...(type ? { "Content-Type": type } : {}) },
    body: text === "" ? { kind: "none" } : { kind: "text", text },
  };
}
