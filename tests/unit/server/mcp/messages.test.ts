import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { invalidParams, readMessage } from "#lib/server/mcp/messages";
import { propertyRuns } from "#tests/support/extended";

const read = (text: string) => readMessage(Buffer.from(text), { acceptsResponses: true });
const call = (params: string) => read(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);

describe("a message", () => {
  it.each([
    ['{"a":"\\u0000"}'],
    ['{"a":"x\\ud800"}'],
    ['{"\\uDFFF":1}'],
    ['{"a":["\\\\\\u0000"]}'],
    ['{"a":"\\ud83d\\ud83d\\ude00"}'],
  ])("with a string that PostgreSQL cannot store is rejected: %s", (params) => {
    expect(call(params)).toMatchObject({ rejection: { id: 1, error: { code: -32600 } } });
  });

  it.each([['{"a":"\\\\u0000"}'], ['{"a":"\\ud83d\\ude00"}'], ['{"a":"😀 \\\\ud800"}'], ['{"a":"\\u0001"}']])(
    "with any other string is read: %s",
    (params) => {
      expect(call(params)).toMatchObject({ message: { params: JSON.parse(params) } });
    },
  );

  const invalid = (method: string, params?: unknown) =>
    invalidParams(
      { jsonrpc: "2.0", id: 7, method, ...(params !== undefined && { params: params as Record<string, unknown> }) },
      { isLegacy: true },
    );

  it("initialize needs its params", () => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "a", version: "1" } };
    expect(invalid("initialize", params)).toBeUndefined();
    for (const missing of ["protocolVersion", "capabilities", "clientInfo"])
      expect(invalid("initialize", { ...params, [missing]: undefined })).toMatchObject({
        id: 7,
        error: { code: -32602, message: `initialize is not valid: params.${missing}: is required.` },
      });
  });

  it.each([
    ["tools/call", undefined, "params: is required"],
    ["tools/call", "x", "params: must be an object"],
    ["tools/call", {}, "params.name: is required"],
    ["tools/call", { name: 5 }, "params.name: must be a string"],
    ["tools/call", { name: "search", arguments: "x" }, "params.arguments: must be an object"],
    ["resources/read", {}, "params.uri: is required"],
    ["prompts/get", { name: "a", arguments: { b: 5 } }, "params.arguments.b: must be a string"],
    ["completion/complete", { ref: 5, argument: { name: "a", value: "b" } }, "params.ref: is not valid"],
  ])("%s with the params %j is answered with one sentence", (method, params, problem) => {
    expect(invalid(method, params)?.error).toEqual({ code: -32602, message: `${method} is not valid: ${problem}.` });
  });

  it.each([
    ["tools/call", { name: "search" }],
    ["tools/call", { name: "search", arguments: { query: "a" }, _meta: { progressToken: 1, "x.y/z": {} } }],
    ["tools/list", undefined],
    ["tools/list", { cursor: "a" }],
    ["constructor", 5],
    ["ping", undefined],
  ])("%s with the params %j is valid", (method, params) => expect(invalid(method, params)).toBeUndefined());

  it.each([{}, { id: null }, { id: { a: 1 } }])("with %j is left to the SDK, which answers no notification", (id) =>
    expect(
      invalidParams({ jsonrpc: "2.0", method: "tools/call", ...(id as { id?: null }) }, { isLegacy: true }),
    ).toBeUndefined(),
  );

  it("with an id that cannot be stored is rejected, also as a response", () => {
    expect(read('{"jsonrpc":"2.0","id":"\\u0000","method":"ping"}')).toHaveProperty("rejection");
    expect(read('{"jsonrpc":"2.0","id":1,"result":{"a":"\\udead"}}')).toHaveProperty("rejection");
  });

  it("is read if and only if its strings have no NUL and no lone surrogate", () => {
    const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
    const text = fc.array(fc.oneof(unit, fc.constantFrom("\0", "\ud83d", "\ude00", "\\", "u0000")), { maxLength: 6 });
    fc.assert(
      fc.property(text, (parts) => {
        const value = parts.join("");
        const isStorable = Buffer.from(value).toString() === value && !value.includes("\0");
        // As JSON.stringify writes it, and with every character escaped.
        const escaped = [...Array(value.length).keys()].map(
          (index) => `\\u${value.charCodeAt(index).toString(16).padStart(4, "0")}`,
        );
        for (const json of [JSON.stringify(value), `"${escaped.join("")}"`]) {
          expect([json, "message" in call(`{"a":${json}}`)]).toEqual([json, isStorable]);
        }
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });
});
