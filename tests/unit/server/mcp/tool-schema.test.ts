import { describe, expect, it } from "vitest";
import * as z from "zod";
import { findTool, listTools } from "#lib/server/mcp/registry";
import { toolJsonSchema, toolSchema } from "#lib/server/mcp/tool-schema";

function everyObject(value: unknown): Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.values(value).flatMap(everyObject);
  return Array.isArray(value) ? inner : [value as Record<string, unknown>, ...inner];
}

const tools = await listTools("stateless", "pro");

it("each tool is found by its name", async () => {
  for (const { tool } of tools) expect((await findTool(tool.name)).map((found) => found.tool)).toEqual([tool]);
});

describe("JSON schemas of tools", () => {
  it.each(tools.map(({ tool }) => [tool.name, tool] as const))("%s: never lists several types", (_name, tool) => {
    for (const io of ["input", "output"] as const) {
      const schema = toolJsonSchema(tool[io], io);
      expect(schema.type).toBe("object");
      for (const object of everyObject(schema)) expect(Array.isArray(object.type)).toBe(false);
    }
  });

  it("of arguments have what a model has to know, of results the members with their types", () => {
    const schema = z.strictObject({
      type: z.string().min(1).nullable().describe("What it is."),
      count: z.int(),
      at: z.iso.datetime(),
      rest: z.record(z.string(), z.unknown()),
    });
    expect(toolJsonSchema(schema, "input")).toEqual({
      type: "object",
      properties: {
        type: { description: "What it is.", anyOf: [{ type: "string" }, { type: "null" }] },
        count: { type: "integer" },
        at: { type: "string", format: "date-time" },
        rest: { type: "object", propertyNames: { type: "string" }, additionalProperties: true },
      },
      required: ["type", "count", "at", "rest"],
      additionalProperties: false,
    });
    expect(toolJsonSchema(schema, "output")).toEqual({
      type: "object",
      properties: { type: {}, count: { type: "integer" }, at: { type: "string" }, rest: { type: "object" } },
    });
  });
});

describe("the arguments of a tool", () => {
  const schema = z.strictObject({ slug: z.string(), limit: z.int().default(5) });
  const read = (value: unknown) => toolSchema(schema, "input", { vendor: "slug" })["~standard"].validate(value);

  it("may have their former names", async () => {
    for (const name of ["slug", "vendor"])
      expect(await read({ [name]: "acme" })).toEqual({ value: { slug: "acme", limit: 5 } });
  });

  it("that there are not are answered with those that there are", async () => {
    const { issues } = await read({ slug: "acme", vendors: 1 });
    expect(issues?.map(({ message }) => message)).toEqual(["unknown: vendors (the arguments are slug, limit)"]);
    expect((await read({ limit: "5" })).issues?.map(({ message }) => message)).toEqual([
      "is required",
      "must be a number",
    ]);
    for (const value of [7, null, ["acme"]]) expect((await read(value)).issues).toHaveLength(1);
  });
});
