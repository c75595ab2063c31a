import { AsyncLocalStorage } from "node:async_hooks";
import type { ClientMessage } from "../messages";
import type { ToolContext } from "../registry";

/** The two endpoints, which list different tools. */
export type McpRoute = "stateless" | "sessions";

/** One request of a client while it is answered. */
export type Exchange = { route: McpRoute; context: ToolContext; message: ClientMessage };

const storage = new AsyncLocalStorage<Exchange>();

/** Answers a request; whatever it calls finds the exchange, since the handlers' factories are given no context. */
export function withExchange<T>(exchange: Exchange, answer: () => T): T {
  return storage.run(exchange, answer);
}

/** The exchange that is being answered. */
export function currentExchange(): Exchange {
  const exchange = storage.getStore();
  if (!exchange) throw new Error("outside of an MCP exchange");
  return exchange;
}
