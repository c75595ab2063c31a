import { withinDeadline } from "../deadline";
import type { ClientMessage } from "../messages";
import type { ToolContext } from "../registry";
import { withExchange } from "../server/exchange";
import { listen, modernHandler } from "../server/listen";

/** Answers a request of the stateless revision 2026-07-28. */
export async function answerModern(
  context: ToolContext,
  { request, message }: { request: Request; message: ClientMessage },
): Promise<Response> {
  return withExchange({ route: "sessions", context, message }, () => {
    if (message.method === "subscriptions/listen") return listen(context, message, request);
    return withinDeadline(message, (signal) => {
      const bounded = new Request(request, { signal: AbortSignal.any([request.signal, signal]) });
      return modernHandler.fetch(bounded, { parsedBody: message });
    });
  });
}
