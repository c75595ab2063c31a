import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import Ajv from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { interfaceVersion } from "#lib/platform/version";
import { itExtended } from "#tests/support/extended";
import { readStream } from "#tests/support/read-stream";
import { temporaryFolder } from "#tests/support/temporary-folder";

type Media = { schema?: object; example?: unknown };
type Answer = { description: string; headers?: Record<string, unknown>; content?: Record<string, Media> };
type Parameter = { name: string; in: string; description?: string; schema: object };
type Operation = {
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Answer>;
};
type Document = {
  openapi: string;
  info: { version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
};

const folder = temporaryFolder();
let document: Document;
let ajv: Ajv;
const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

/** Returns a validator for the schema at a JSON pointer. References resolve within the document. */
function validatorOf(pointer: string) {
  return ajv.getSchema(`document#${pointer}`) ?? ajv.compile({ $ref: `document#${pointer}` });
}

const escapePointer = (part: string) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));

beforeAll(async () => {
  const { status, body } = await readStream(`${inject("baseUrl")}/openapi.json`);
  expect(status).toBe(200);
  document = JSON.parse(body.toString());
  ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema(document, "document");
});

describe("/openapi.json", () => {
  it("is OpenAPI 3.1, with the interface's version, and the request's origin as server", () => {
    expect([document.openapi, document.info.version, document.servers[0]?.url]).toEqual([
      "3.1.0",
      interfaceVersion,
      inject("baseUrl"),
    ]);
  });

  itExtended("passes redocly lint with its recommended rules", () => {
    const file = join(folder, "openapi.json");
    writeFileSync(file, JSON.stringify(document));
    const redocly = resolve(import.meta.dirname, "../../node_modules/@redocly/cli/bin/cli.js");
    const run = () =>
      execFileSync(process.execPath, [redocly, "lint", file, "--extends=recommended", "--format=stylish"], {
        encoding: "utf8",
        env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
        stdio: ["ignore", "pipe", "pipe"],
      });
    expect(run).not.toThrow();
  });

  it("declares that a body can be too large, of every operation with one", () => {
    const undeclared = operations().filter(({ operation }) => operation.requestBody && !operation.responses[413]);
    expect(undeclared.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it("describes every endpoint, parameter, response and header, with valid examples", () => {
    for (const { path, method, operation } of operations()) {
      const place = `${method} ${path}`;
      expect([place, operation.summary && operation.description ? "described" : ""]).toEqual([place, "described"]);
      for (const { name, description } of operation.parameters ?? [])
        expect([place, name, Boolean(description)]).toEqual([place, name, true]);
      for (const [status, { description, headers, content }] of Object.entries(operation.responses)) {
        expect([place, status, Boolean(description), Object.keys(headers ?? {}).length > 0]).toEqual([
          place,
          status,
          true,
          true,
        ]);
        for (const [type, { schema, example }] of Object.entries(content ?? {})) {
          expect([place, status, example !== undefined]).toEqual([place, status, true]);
          if (!schema) continue;
          const pointer = ["paths", path, method, "responses", status, "content", type, "schema"]
            .map(escapePointer)
            .join("/");
          const validate = validatorOf(`/${pointer}`);
          expect([place, status, validate(example), validate.errors]).toEqual([place, status, true, null]);
        }
      }
    }
  });
});
