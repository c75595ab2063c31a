import { expect, test } from "vitest";
import * as z from "zod";
import { endpoints } from "#app/endpoints";
import { bodySchema, checkBody } from "#lib/contract/parse-body";
import { SchemaCollector } from "#lib/server/openapi/convert-schema";

test("a body with unknown fields is refused, with their names and the known ones", () => {
  const schema = bodySchema({ url: z.string(), name: z.string().optional() }, "must be an object with url");
  expect(checkBody(schema, { url: "a" })).toEqual({ url: "a" });
  const many = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`${index}`.repeat(100), 1]));
  const messages = [{ url: "a", nme: "b" }, { url: "a", a: 1, b: 2 }, { url: "a", ...many }, []].map((json) => {
    try {
      return checkBody(schema, json);
    } catch (error) {
      return (error as Error).message;
    }
  });
  expect(messages).toEqual([
    'Body field: unknown field "nme". Known are url, name',
    'Body field: unknown fields "a", "b". Known are url, name',
    expect.stringMatching(
      /^Body field: unknown fields "0{80}", "1{80}", "2{80}", "3{80}", "4{80}", …\. Known are url, name$/,
    ),
    "Body field: must be an object with url",
  ]);
});

test("no JSON body of our own may have unknown fields, and the document says so", () => {
  const collector = new SchemaCollector();
  const own = endpoints.filter(({ body, errorShape, tag }) => body && !errorShape && tag !== "MCP");
  expect(own.length).toBeGreaterThan(8);
  for (const { id, body, rawBodyByteSize } of own) {
    collector.convert(z.object({ body: body as z.ZodType }).meta({ id }), "input");
    const { properties } = collector.components[id] as { properties: { body: { $ref?: string } } };
    const named = properties.body.$ref?.split("/").at(-1);
    const converted = named ? collector.components[named] : properties.body;
    // A raw body is only described.
    if (!rawBodyByteSize)
      expect([id, converted]).toEqual([id, expect.objectContaining({ additionalProperties: false })]);
  }
});
