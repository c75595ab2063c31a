import {
  classifyInboundRequest,
  isJSONRPCRequest,
  type McpServer,
  type ServerOptions,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import type { AppError } from "#lib/platform/errors";
import { existingSingleton } from "#lib/platform/process-singleton";
import { type Timeout, TimeoutError, withTimeout } from "#lib/platform/with-timeout";
import type { Session } from "#lib/server/mcp-sessions/index";
import { type ClientMessage, jsonRpcError } from "./messages";
import type { ToolContext } from "./tool-context";

/** The two endpoints, which list different tools: `/api/mcp` and `/api/mcp/v2`. */
export type McpRoute = "stateless" | "sessions";

/** A POST to one of the endpoints. */
export type McpPost = {
  header: (name: string) => string | null;
  headers: () => Headers;
  /** The JSON-RPC message that is its body. */
  message: ClientMessage;
  /** Returns a signal that aborts when the client disconnects. */
  signal: () => AbortSignal;
  /** Why the call of a tool is refused; its result then says so. */
  refusal?: AppError | undefined;
};

/** What tools, resources and prompts know of the request that uses them. */
export type ToolRequest = { route: McpRoute; context: ToolContext } & Pick<McpPost, "message" | "refusal">;

/** Registers on a server what the request being answered can use. */
export type Register = (server: McpServer) => void;

/** An answer without the objects of the web: a JSON-RPC message, as an event for a client that accepts those; none for 202. */
export type PlainAnswer = { status: number; message?: object; isEvent?: boolean; sessionId?: string };

export type McpAnswer = Response | PlainAnswer;

/** Maximum time for one request, in milliseconds. Event streams have a limit of their own. */
export const requestTimeoutMs = 30_000;

/** Whether a message belongs to a revision that starts with `initialize`, as the SDK's own servers decide it. */
export function isLegacy({ header, message }: Pick<McpPost, "header" | "message">): boolean {
  const version = header("mcp-protocol-version");
  const namesLegacy = version === null || SUPPORTED_PROTOCOL_VERSIONS.includes(version);
  // Most requests. The SDK first makes sure that they are no responses, which takes longer than all else.
  if (namesLegacy && message.params?._meta === undefined && isJSONRPCRequest(message)) return true;
  const outcome = classifyInboundRequest({
    httpMethod: "POST",
    protocolVersionHeader: version ?? undefined,
    mcpMethodHeader: header("mcp-method") ?? undefined,
    mcpNameHeader: header("mcp-name") ?? undefined,
    body: message,
  });
  return outcome.kind === "legacy";
}

/** Whether the client accepts an event stream. */
export function acceptsEventStream({ header }: Pick<McpPost, "header">): boolean {
  return header("accept")?.includes("text/event-stream") ?? false;
}

/** A request whose body has been read and parsed. `mcp-handler` parses a copy, which would take longer than most tools. */
class ParsedRequest extends Request {
  readonly #message: ClientMessage;

  constructor(url: string, init: RequestInit, message: ClientMessage) {
    super(url, init);
    this.#message = message;
  }

  override clone(): Request {
    return this;
  }

  override async json(): Promise<unknown> {
    return this.#message;
  }
}

type WebRequestOptions = { origin: string; path: string; signal?: AbortSignal; acceptsBoth: boolean };

/**
 * Returns the post as a web request for the SDK's handlers: JSON, and with `acceptsBoth` the `Accept` header that they
 * require, regardless of what the client sent.
 */
export function toWebRequest({ headers, message }: McpPost, options: WebRequestOptions): Request {
  const { origin, path, signal, acceptsBoth } = options;
  const request = new ParsedRequest(
    `${origin}${path}`,
    { method: "POST", headers: headers(), ...(signal && { signal }) },
    message,
  );
  if (acceptsBoth) request.headers.set("accept", "application/json, text/event-stream");
  request.headers.set("content-type", "application/json");
  request.headers.delete("content-length");
  return request;
}

/** Returns the answer, or a JSON-RPC error after `timeoutMs` milliseconds; the signal then aborts. */
export async function withRequestTimeout<Answer extends McpAnswer>(
  message: ClientMessage,
  answer: (timeout: Timeout) => Promise<Answer>,
  timeoutMs = requestTimeoutMs,
): Promise<Answer | Response> {
  try {
    return await withTimeout(timeoutMs, answer);
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
    const text = `The request took longer than ${timeoutMs / 1000} seconds. Ask for less, or try again.`;
    return Response.json(jsonRpcError(-32603, text, message.id ?? null));
  }
}

/** Capabilities in addition to those of the service, for every MCP server of this process. */
export type McpExtension = {
  options: Pick<ServerOptions, "capabilities" | "requestState">;
  /** Registers tools, resources and prompts on the server of one request. */
  register: (server: McpServer, request: ToolRequest) => void;
  /** Whether a resource of the extension can be subscribed to. */
  isSubscribable: (uri: string) => boolean;
  /** Serves a message of a revision that starts with `initialize`, with the events that tools send before their result. */
  serveWithEvents?: (server: McpServer, request: EventRequest) => Promise<Response>;
  /** Takes a client's response to a request of a tool. */
  onResponse?: (response: ClientMessage) => void;
};

/** A message to be served with events, within a session or not, until the timeout. */
export type EventRequest = { context: ToolContext; post: McpPost; session: Session | null; timeout: Timeout };

const noExtension: McpExtension = { options: {}, register: () => undefined, isSubscribable: () => false };

/** Returns what the tests of the protocol's conformance suite add to every MCP server of the process; usually nothing. */
export function mcpExtension(): McpExtension {
  return existingSingleton<McpExtension>("mcpExtension") ?? noExtension;
}

/** Returns the response, calling `onEnd` once when its body has been read to the end, cancelled or failed. */
export function onBodyEnd(response: Response, onEnd: () => void): Response {
  if (!response.body) {
    onEnd();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        onEnd();
        throw error;
      });
      if (!done) return controller.enqueue(value);
      onEnd();
      controller.close();
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
