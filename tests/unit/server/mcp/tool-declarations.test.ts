import { describe, expect, it } from "vitest";
import * as z from "zod";
import { listTools } from "#lib/server/mcp/registry";

const all = (await listTools("stateless", "pro")).map(({ tool }) => [tool.name, tool] as const);
/** Tools whose names and descriptions have another form. */
const others = ["search", "get_guide"];
const named = all.filter(([name]) => !others.includes(name));
const tools = named.map(([, tool]) => tool);

type ObjectSchema = {
  type?: string;
  properties?: Record<string, { description?: string }>;
  additionalProperties?: unknown;
};
const convert = (schema: z.ZodType, io: "input" | "output") => z.toJSONSchema(schema, { io }) as ObjectSchema;

describe("the tools", () => {
  it("have unique names, each a verb and a noun in snake_case", () => {
    const names = tools.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toHaveLength(25);
    for (const name of names) expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/);
  });

  it.each(named)("%s has a short description that ends with a valid example", (_, tool) => {
    const { title, description, input } = tool;
    expect(title).toMatch(/^[A-Z]/);
    expect(description.length).toBeLessThanOrEqual(600);
    const [, example = "none"] = /\. Example: (\{.*\})$/.exec(description) ?? [];
    expect(input.safeParse(JSON.parse(example)).success).toBe(true);
  });

  it.each(named)("%s has all four annotations", (_, { annotations }) => {
    expect(Object.keys(annotations).sort()).toEqual(
      ["destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"].sort(),
    );
    expect(annotations.readOnlyHint && annotations.destructiveHint).toBe(false);
  });

  it.each(all)("%s accepts an object with described fields only", (_, { input }) => {
    const schema = convert(input, "input");
    expect([schema.type, schema.additionalProperties]).toEqual(["object", false]);
    for (const [name, field] of Object.entries(schema.properties ?? {}))
      expect([name, field.description]).toEqual([name, expect.stringMatching(/.{10}/)]);
    expect(input.safeParse({ unheard_of: 1 }).success).toBe(false);
  });

  it.each(named)("%s returns an object without undeclared fields", (_, { output }) => {
    const schema = convert(output, "output");
    expect([schema.type, schema.additionalProperties]).toEqual(["object", false]);
  });

  it("are read-only except for those of own vendors and webhooks", () => {
    const writers = tools.filter(({ annotations }) => !annotations.readOnlyHint).map(({ name }) => name);
    const ofVendors = ["add_vendor", "rename_vendor", "remove_vendor"];
    expect(writers).toEqual([...ofVendors, "create_webhook", "update_webhook", "delete_webhook"]);
  });

  it("accept only text of limited length", () => {
    const strings = (schema: unknown): Record<string, unknown>[] => {
      if (typeof schema !== "object" || schema === null) return [];
      const own = (schema as { type?: unknown }).type === "string" ? [schema as Record<string, unknown>] : [];
      return [...own, ...Object.values(schema).flatMap(strings)];
    };
    const isBounded = ({ maxLength, enum: values, const: value, format, pattern }: Record<string, unknown>) =>
      maxLength !== undefined ||
      values !== undefined ||
      value !== undefined ||
      /^(uuid|date|date-time)$/.test(String(format)) ||
      /\{1,100\}\$$/.test(String(pattern));
    for (const { name, input } of tools) {
      const loose = strings(convert(input, "input")).filter((schema) => !isBounded(schema));
      expect([name, loose]).toEqual([name, []]);
    }
  });
});
