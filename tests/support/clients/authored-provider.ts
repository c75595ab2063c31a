import type { Json, Protocol, Turn } from "#tests/support/conversation-protocols";
import { type ProviderDouble, startProvider } from "#tests/support/provider-double";

/**
 * Starts a provider on the loopback that plays an authored conversation. The turn is the one that follows as many results
 * of tools as the request has, whatever else the client writes into it.
 */
export function startAuthoredProvider(
  { provider, answerOf }: Protocol,
  turns: readonly Turn[],
): Promise<ProviderDouble> {
  const resultCounts = turns.map((_turn, index) =>
    turns.slice(0, index).reduce((sum, { calls }) => sum + calls.length, 0),
  );
  return startProvider((response, { method, path, body }) => {
    const send = (status: number, json: unknown) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(json));
    };
    const asked = new URL(path, "http://127.0.0.1").pathname;
    const request: Json = body === "" ? {} : JSON.parse(body);
    const index = resultCounts.indexOf(provider.toolResults(request).length);
    const turn = turns[index];
    if (provider.operationOf({ method, path: asked }) !== "generate" || !turn) {
      return send(400, provider.errorBody({ status: 400, message: `Not authored: ${method} ${path}`, requestId: "" }));
    }
    const answer = answerOf(turn, `authored_${index + 1}`);
    if (request.stream !== true) return send(200, answer);
    const { contentType, events } = provider.unfold(answer);
    response.writeHead(200, { "content-type": contentType });
    response.end(events.join(""));
  });
}
