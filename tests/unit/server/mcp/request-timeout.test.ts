import { describe, expect, it } from "vitest";
import { withRequestTimeout } from "#lib/server/mcp/mcp-request";

describe("the timeout of a request", () => {
  it("answers with a JSON-RPC error for the request's id, and aborts the work", async () => {
    let isAborted = false;
    const answer = ({ signal }: { signal: AbortSignal }) =>
      new Promise<Response>((_settle, reject) => {
        signal.addEventListener("abort", () => {
          isAborted = true;
          reject(signal.reason);
        });
      });
    const response = await withRequestTimeout({ jsonrpc: "2.0", id: 7, method: "tools/call" }, answer, 5);
    expect(await response.json()).toMatchObject({ id: 7, error: { code: -32603 } });
    expect(isAborted).toBe(true);
  });

  it("does not change a response that is in time", async () => {
    const response = Response.json({ result: 1 });
    expect(await withRequestTimeout({ jsonrpc: "2.0", id: 7 }, async () => response)).toBe(response);
  });
});
