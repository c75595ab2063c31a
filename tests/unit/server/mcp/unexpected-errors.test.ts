import { expect, it, vi } from "vitest";
import { anonymousCaller } from "#lib/accounts/keys/index";
import { internalErrorMessage } from "#lib/platform/errors";
import type { Log } from "#lib/platform/log";
import { answerPlainly } from "#lib/server/mcp/answer-plainly";
import { answerRequest, createServer } from "#lib/server/mcp/create-server";
import type { ToolContext } from "#lib/server/mcp/tool-context";

const vendor = { uri: "tapedeck://vendors/quarry" };
const completion = {
  ref: { type: "ref/prompt", name: "summarize_vendor_changes" },
  argument: { name: "vendor", value: "q" },
};

it.each([
  ["resources/read", vendor],
  ["resources/list", {}],
  ["completion/complete", completion],
  ["prompts/get", { name: "summarize_vendor_changes", arguments: { vendor: "quarry" } }],
])("%s logs an unexpected error and does not send its message", async (method, params) => {
  const failing = () => {
    throw new Error("no table vendors at 10.1.2.3:5432");
  };
  const error = vi.fn<(fields: { err: Error }) => void>();
  const context = {
    caller: anonymousCaller,
    log: { error } as unknown as Log,
    get database() {
      return failing();
    },
    site: { vertical: "legal" },
    catalogue: { list: failing },
  } as unknown as ToolContext;
  const message = { jsonrpc: "2.0", id: 1, method, params } as const;
  const post = {
    header: () => null,
    headers: () => new Headers(),
    signal: () => new AbortController().signal,
    message,
  };
  const answer = await answerRequest({ route: "sessions", context, message, isLegacy: true }, (register) =>
    answerPlainly(createServer(register, { hasStreams: true }), post),
  );
  expect(answer).toMatchObject({ message: { error: { code: -32603, message: internalErrorMessage } } });
  expect(error.mock.calls[0]?.[0].err.message).toContain("no table vendors");
});
