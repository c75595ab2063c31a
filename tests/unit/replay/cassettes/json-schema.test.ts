import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import Ajv from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { cassetteJsonSchema, cassetteSchemaPath } from "#lib/replay/cassettes/format";

const root = resolve(import.meta.dirname, "../../../..");
const published = () => JSON.parse(readFileSync(join(root, "public", cassetteSchemaPath), "utf8"));
const bundled = readdirSync(join(root, "content/cassettes"), { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".json"),
);
const read = (file: string) => JSON.parse(readFileSync(join(root, "content/cassettes", file), "utf8"));

describe("the published JSON Schema", () => {
  const ajv = new Ajv({ strict: false });
  addFormats(ajv);

  it("is generated from the zod schema: `npm run -s tapedeck -- cassettes schema` prints it", () => {
    expect(published()).toEqual(cassetteJsonSchema());
  });

  it("accepts every bundled cassette", () => {
    const validate = ajv.compile(published());
    for (const file of bundled) expect([file, validate(read(file)), validate.errors]).toEqual([file, true, null]);
  });

  it("describes every field", () => {
    const { properties } = published() as { properties: Record<string, { description?: string; type?: string }> };
    expect(Object.keys(properties)).toContain("integrity");
    for (const name of ["id", "title", "subtitle", "provider", "end", "usage"]) {
      expect([name, properties[name]?.description ?? ""]).toEqual([name, expect.stringMatching(/\w/)]);
    }
  });

  it("rejects unknown fields", () => {
    const validate = ajv.compile(published());
    const good = read(bundled[0] as string);
    for (const bad of [
      { ...good, more: 1 },
      { ...good, end: "maybe" },
      { ...good, chunks: [{ delta_ms: -1, s: "x" }] },
      { ...good, schema: "cassette/1" },
    ]) {
      expect(validate(bad)).toBe(false);
    }
  });
});
