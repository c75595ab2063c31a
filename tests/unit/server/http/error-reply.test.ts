import { pino } from "pino";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { errorsAt } from "#app/bindings/replay";
import { defineEndpoint } from "#lib/contract/endpoint";
import { childEnvironment, withEnvironment } from "#lib/platform/config";
import { validationMessage } from "#lib/platform/describe-issue";
import { AppError, type ErrorCode, statusByCode } from "#lib/platform/errors";
import { answer, bind } from "#lib/server/http/bindings";
import { errorReply, tapedeckErrors } from "#lib/server/http/reply";

const logged: string[] = [];
const log = pino({ level: "info" }, { write: (line: string) => void logged.push(line) });
const anthropicErrors = errorsAt("/v1/messages", () => null);
const textOf = (error: unknown, format = tapedeckErrors) => {
  const { body, status } = errorReply(error, format, "request-1", log);
  return { status, json: body.kind === "text" ? JSON.parse(String(body.text)) : null };
};

describe("an error response", () => {
  it.each(Object.keys(statusByCode) as ErrorCode[])("for %s has its status, also in the body", (code) => {
    expect(textOf(new AppError(code, "Do this."))).toEqual({
      status: statusByCode[code],
      json: { error: "Do this.", code, status: statusByCode[code] },
    });
    expect(textOf(new AppError(code, "Do this."), anthropicErrors).json).toMatchObject({
      type: "error",
      error: { type: expect.stringMatching(/_error$|_too_large$/), message: "Do this." },
      request_id: "req_request1",
    });
  });

  it("does not log a refusal beyond a bound, but a failure of what the server depends on", () => {
    logged.length = 0;
    errorReply(new AppError("service_unavailable", "Too many."), tapedeckErrors, "request-1", log);
    expect(logged).toEqual([]);
    const failure = new AppError("service_unavailable", "Try again.", { cause: new Error("no connection") });
    errorReply(failure, tapedeckErrors, "request-1", log);
    expect(logged.join()).toContain("no connection");
  });

  it("does not reveal an unexpected error, which is logged with the request's id", () => {
    logged.length = 0;
    const { status, json } = textOf(new Error("SELECT secret FROM /srv/app"));
    expect(status).toBe(500);
    expect(JSON.stringify(json)).not.toMatch(/SELECT|srv/);
    expect(logged.join()).toContain("SELECT secret");
    expect(logged.join()).toContain("request-1");
  });
});

it("has its format looked up only for an error", async () => {
  const endpoint = defineEndpoint({
    ...{ id: "getThing", method: "GET", path: "/thing", tag: "Operations", summary: "Get", description: "The thing." },
    ...{ auth: "none", responses: { 200: { description: "ok" } }, errors: {} },
  });
  const asked: string[] = [];
  const errorsOf = (path: string) => {
    asked.push(path);
    return tapedeckErrors;
  };
  const load = async () => ({ bindings: [bind(endpoint, () => "A thing.")], errorsAt: errorsOf });
  const view = {
    ...{ method: "GET", target: "/thing", encrypted: false, header: () => null, headers: () => new Headers() },
    ...{ signal: () => new AbortController().signal, readBody: async () => new Uint8Array() },
  };
  const silent = childEnvironment({ LOG_LEVEL: "silent" });
  const { status } = await withEnvironment(silent, () => answer({ paths: /./, load }, view));
  expect([status, asked]).toEqual([200, []]);
});

describe("a validation error", () => {
  const messageOf = (schema: z.ZodType, value: unknown) =>
    validationMessage(z.object({ field: schema }).safeParse({ field: value }).error!, "Body field");

  it.each([
    [z.int(), undefined, "is required"],
    [z.int(), "3", "must be a number"],
    [z.array(z.string()), 3, "must be an array"],
    [z.enum(["day", "week"]), "year", 'must be one of "day", "week"'],
    [z.literal(true), false, "must be true"],
    [z.uuid("must be a UUID"), "x", "must be a UUID"],
  ])("says what the value must be: %#", (schema, value, message) => {
    expect(messageOf(schema, value)).toBe(`Body field "field": ${message}`);
  });
});
