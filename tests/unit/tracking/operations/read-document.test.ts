import { describe, expect, it } from "vitest";
import { WorkerError } from "#lib/platform/run-worker";
import { compareOpenApi, isOpenApi, OpenApiError, readOpenApi } from "#lib/tracking/operations/index";
import { operationNameSchema } from "#lib/tracking/operations/operation-names";
import { normalizeDocument } from "#lib/tracking/operations/read-document";

const document = { openapi: "3.1.0", paths: { "/a": { get: {} } } };
const json = (more: object = {}) => JSON.stringify({ ...document, ...more });

describe("reading a document", () => {
  it("gives one text for YAML and JSON, whatever the order of keys, and for other examples and extensions", () => {
    const yaml = "paths:\n  /a: {get: {}}\nopenapi: 3.1.0\nx-owner: me\nexample: 2026-01-01\n";
    expect(normalizeDocument(yaml)).toBe(normalizeDocument(`\ufeff ${json()}`));
    expect(normalizeDocument(json({ examples: [1] }))).toBe(normalizeDocument(json()));
    const security = { security: [{ "x-key": ["x-all"] }], components: { securitySchemes: { "x-key": { "x-a": 1 } } } };
    expect(JSON.parse(normalizeDocument(json(security)))).toMatchObject({
      ...security,
      components: { securitySchemes: { "x-key": {} } },
    });
    const parameters = { example: { in: "query", name: "q" }, "x-id": {} };
    const components = JSON.parse(normalizeDocument(json({ components: { parameters } }))).components;
    expect(Object.keys(components.parameters)).toEqual(["example", "x-id"]);
    const properties = { "x-id": {}, example: { example: 1 }, ["__proto__"]: {} };
    const named = JSON.parse(normalizeDocument(json({ components: { schemas: { A: { properties } } } })));
    expect(Object.entries(named.components.schemas.A.properties)).toEqual([
      ["__proto__", {}],
      ["example", {}],
      ["x-id", {}],
    ]);
  });

  const deep = (open: string, close: string, count: number) => `${open.repeat(count)}1${close.repeat(count)}`;
  const laughs = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level < 9; level += 1)
    laughs.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(", ")}]`);

  it.each([
    ["text", "Not found", /^the file is not an OpenAPI 3 document$/],
    ["Swagger 2", JSON.stringify({ swagger: "2.0", paths: { "/a": {} } }), /^the file is not an OpenAPI 3 document$/],
    ["no paths", json({ paths: {} }), /^the file has no paths$/],
    ["broken JSON", "{", /^the file is not JSON: /],
    ["broken YAML", 'openapi: "3.1.0', /^the file is not YAML: /],
    ["a long text", " ".repeat(8 * 1024 * 1024 + 1), /^the file is larger than 8 MiB$/],
    ["deep JSON", json({ a: JSON.parse(deep("[", "]", 250)) }), /^the file is nested deeper than 200 levels$/],
    ["deep YAML", `openapi: 3.1.0\npaths: ${deep("[", "]", 20_000)}`, /^the file (is not YAML: |is nested deeper)/],
    [
      "aliases that multiply",
      `openapi: 3.1.0\npaths: {/a: {}}\n${laughs.join("\n")}`,
      /^the file (is not YAML: |has more than)/,
    ],
    ["an alias in itself", "openapi: 3.1.0\npaths: &a {/a: *a}", /^the file is nested deeper than 200 levels$/],
  ])("refuses %s, and says why", (_what, text, message) => {
    expect(() => normalizeDocument(text)).toThrow(message);
  });
});

describe("a large document", () => {
  const large = (count: number) =>
    json({
      paths: Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`/path-of-an-operation/${index}`, { get: {} }]),
      ),
    });

  it("is read and compared in a thread, with the same result and errors", async () => {
    const [before, after] = [large(1_000), large(1_001)];
    expect(await readOpenApi(before)).toBe(normalizeDocument(before));
    const versions = {
      before: normalizeDocument(before),
      after: normalizeDocument(after),
      url: "https://api.example",
      domain: "example",
    };
    expect(await compareOpenApi(versions)).toMatchObject([{ kind: "added", path: "/path-of-an-operation/1000" }]);
    await expect(readOpenApi("x".repeat(50_000))).rejects.toThrow(
      new OpenApiError("the file is not an OpenAPI 3 document"),
    );
    await expect(readOpenApi(before, { timeoutMs: 1, maxHeapMib: 64 })).rejects.toThrow(WorkerError);
  });
});

describe("the name of an operation", () => {
  it.each([
    ["post https://API.example/v1/items/?beta=true", "POST api.example/v1/items"],
    ["GET api.example:8080/v1/items/{id}", "GET api.example:8080/v1/items/{id}"],
    [" get  http://api.example ", "GET api.example"],
    ["/v1/items", undefined],
    ["GET", undefined],
    ["GET http://[", undefined],
  ])("is read from %s", (text, name) => {
    expect(operationNameSchema.safeParse(text).data).toBe(name);
  });
});

it.each([
  ["JSON", '{"info": {}, "openapi": "3.1.0"}', true],
  ["YAML", "# Acme\n---\ninfo: {}\nopenapi: '3.0.3'\n", true],
  ["Swagger 2", '{"swagger": "2.0"}', false],
  ["a page with an example", "# Upload\n\n```yaml\nopenapi: 3.1.0\n```\n", false],
  ["a page that names its operation", "---\nopenapi: POST /items\n---\n", false],
])("a document is known by its field: %s", (_name, text, expected) => {
  expect(isOpenApi(text)).toBe(expected);
});
