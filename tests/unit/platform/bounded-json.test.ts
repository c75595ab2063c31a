import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxJsonDepth, maxJsonValueCount, parseBoundedJson } from "#lib/platform/bounded-json";

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

describe("JSON of a client", () => {
  it("may be nested as deep as the bound, in arrays and objects, and no deeper", () => {
    expect(parseBoundedJson(nested(maxJsonDepth))).toBeDefined();
    expect(() => parseBoundedJson(nested(maxJsonDepth + 1))).toThrow(/nested more than 200/);
    expect(() => parseBoundedJson(`${'{"a":'.repeat(3_000)}1${"}".repeat(3_000)}`)).toThrow(/nested more than 200/);
  });

  it("may have as many values as the bound, and no more", () => {
    expect(parseBoundedJson(`[${Array(maxJsonValueCount - 1).fill(0)}]`)).toHaveLength(maxJsonValueCount - 1);
    expect(() => parseBoundedJson(`[${Array(maxJsonValueCount).fill(0)}]`)).toThrow(/more than 500000 values/);
  });

  it("may have any brackets, commas and escapes in its strings", () => {
    const text = `${"[".repeat(300)}${",".repeat(maxJsonValueCount)}`;
    for (const value of [text, `${text}\\`, `"${text}`, `\\"${text}\\"`]) {
      expect(parseBoundedJson(JSON.stringify({ [value]: [value] }))).toEqual({ [value]: [value] });
    }
  });

  it("is otherwise what JSON.parse says of it", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        const read = (parse: (text: string) => unknown) => {
          try {
            return [parse(text)];
          } catch (error) {
            return (error as Error).name;
          }
        };
        expect(read(parseBoundedJson)).toEqual(read(JSON.parse));
      }),
    );
  });
});
