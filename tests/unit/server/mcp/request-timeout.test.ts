import { describe, expect, it } from "vitest";
import { withRequestTimeout } from "#lib/server/mcp/mcp-request";

describe("the deadline of a request", () => {
  it("answers with a JSON-RPC error of the request's id, and ends the work", async () => {
    let hasEnded = false;
    const answer = (signal: AbortSignal) =>
      new Promise<Response>((_settle, reject) => {
        signal.addEventListener("abort", () => {
          hasEnded = true;
          reject(signal.reason);
        });
      });
    const response = await withRequestTimeout({ jsonrpc: "2.0", id: 7, method: "tools/call" }, answer, 5);
    expect(await response.json()).toMatchObject({ id: 7, error: { code: -32603 } });
    expect(hasEnded).toBe(true);
  });

  it("leaves an answer in time as it is", async () => {
    const response = Response.json({ result: 1 });
    expect(await withRequestTimeout({ jsonrpc: "2.0", id: 7 }, async () => response)).toBe(response);
  });
});
