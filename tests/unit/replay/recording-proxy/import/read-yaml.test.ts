import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { readYaml, type YamlValue } from "#lib/replay/recording-proxy/import/read-yaml";
import { propertyRuns } from "#tests/support/extended";

/** Characters that YAML gives a meaning somewhere, and some that it does not. */
const pieces = [
  ..."ab0 \n\t:#-?,[]{}'\"\\|>&*!%@`~=.",
  ...["é", "日", "😀", "\u00a0", "\u3000", "\ufeff", "\x00", "\x7f", ": ", " #", "- ", "\n  ", "  \n", "\n\n\n"],
  ...["null", "true", "1.5", "0x1f", "12:30", "\\n", 'data: {"a": 1}\n\n'],
];
const text = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(""));
const scalar = fc.oneof(text, fc.integer(), fc.constantFrom(null, true, false, 0.5, -1.25));
const { value } = fc.letrec<{ value: YamlValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom("body", "headers", ":status")), tie("value"), { maxKeys: 4 }),
  ),
}));

const styles = fc.record({
  lineWidth: fc.constantFrom(0, 20, 80),
  collectionStyle: fc.constantFrom("any" as const, "block" as const, "flow" as const),
  defaultStringType: fc.constantFrom(
    "PLAIN" as const,
    "QUOTE_DOUBLE" as const,
    "QUOTE_SINGLE" as const,
    "BLOCK_LITERAL" as const,
    "BLOCK_FOLDED" as const,
  ),
  indent: fc.constantFrom(2, 4),
  indentSeq: fc.boolean(),
});

/** Whether the library reads what it wrote: some texts it writes wrongly in these styles. */
function isWrittenWell(written: string, given: YamlValue): boolean {
  try {
    return JSON.stringify(parse(written, { version: "1.1" })) === JSON.stringify(given);
  } catch {
    return false;
  }
}

describe("YAML", () => {
  it("of any value in any style is read as the library that wrote it reads it", () => {
    const readCounts = { same: 0 };
    fc.assert(
      fc.property(value, styles, (given, style) => {
        const written = stringify(given, { ...style, version: "1.1", aliasDuplicateObjects: false });
        if (!isWrittenWell(written, given)) return;
        expect(readYaml(written)).toEqual(given);
        readCounts.same += 1;
      }),
      { numRuns: propertyRuns(3_000) },
    );
    expect(readCounts.same).toBeGreaterThan(propertyRuns(2_500));
  });

  it.each<[string, string, YamlValue]>([
    [
      "a list as far to the left as its key",
      "a:\n- b: 1\n  c: [x, 'y z']\n- d\n",
      { a: [{ b: 1, c: ["x", "y z"] }, "d"] },
    ],
    [
      "bytes",
      "a: !!binary |\n  H4sI\n  AAAA\nb: !binary |-\n  /w==\n",
      { a: Buffer.from("H4sIAAAA", "base64"), b: Buffer.from([255]) },
    ],
    ["an alias", "a: &id001\n  b: [1]\nc: *id001\n", { a: { b: [1] }, c: { b: [1] } }],
    ["a text that ends in blank lines", "a: |+\n  data: x\n\n\nb: |-\n  y\n", { a: "data: x\n\n\n", b: "y" }],
    ["a text that begins with spaces", "a: |2-\n    x\n  y\n", { a: "  x\ny" }],
    ["a quoted text over lines", 'a: "x\\\n  \\ y\n  z\\u00e9\\U0001F600"\n', { a: "x y zé😀" }],
    ["a long key", '? "k"\n: v\n', { k: "v" }],
    ["a key that begins with a colon", ":status: 200\n", { ":status": 200 }],
    [
      "what looks like a number to others only",
      "a: 1e5\nb: 0o7\nc: 12:30\nd: 010\ne: 1_0\n",
      { a: "1e5", b: "0o7", c: "12:30", d: "010", e: "1_0" },
    ],
    ["nothing", "a:\nb: ~\nc: ''\n", { a: null, b: null, c: "" }],
    ["comments and marks of a document", "%YAML 1.1\n---\n# one\na: 1 # two\n...\n", { a: 1 }],
    ["line ends of Windows", "a: |\r\n  x\r\n  y\r\n", { a: "x\ny\n" }],
    ["a member called __proto__", "__proto__: 1\n", Object.fromEntries([["__proto__", 1]])],
  ])("%s", (_name, written, expected) => {
    expect(readYaml(written)).toEqual(expected);
  });

  it.each([
    ["a: 1\nb: c: d\n", "line 2: a value has a colon that is not quoted"],
    ["a: 1\na: 2\n", 'line 2: the key "a" occurs twice'],
    ["a: *b\n", "line 1: *b refers to nothing"],
    ["a: !!python/object:x.Y {}\n", "line 1: the tag !!python/object:x.Y is not supported"],
    ['a: ! "12"\n', 'line 1: the tag ! is not supported for "12"'],
    ["a: 'x\nb: 1\n", "line 1: a quote is not closed"],
    ['a: "\\q"\n', "line 1: has an escape that is not valid"],
    ["a: [1, 2\n", "line 2: a comma or a closing bracket is missing"],
    ["a:\n  b: 1\n c: 2\n", "line 3: cannot be read: is its indentation right?"],
    ["<<: {a: 1}\n", "line 1: merge keys are not supported"],
    ["a: 1\n---\nb: 2\n", "line 2: is not part of the document before it"],
    ["a: |\n  x\u2028y\n", "line 2: has a line separator, which versions of YAML read differently"],
    ["a: !!binary x?\n", "line 1: is not valid base64"],
    ["[".repeat(300), "line 1: is nested more than 200 times"],
  ])("%j is an error that names the line", (written, message) => {
    expect(() => readYaml(written)).toThrow(message);
  });

  it("with aliases that stand for billions of values is refused at once", () => {
    const levels = Array.from({ length: 12 }, (_, level) => {
      const items = Array.from({ length: 10 }, () => (level === 0 ? "x" : `*a${level - 1}`));
      return `a${level}: &a${level} [${items.join(", ")}]`;
    });
    expect(() => readYaml(levels.join("\n"))).toThrow(/more than 5000000 values/);
  });

  it("of many megabytes is read in seconds", () => {
    const body = `${"x".repeat(200)} "quoted" \\ ${" ".repeat(100)}`.repeat(20_000);
    const written = stringify({ a: body, b: body }, { defaultStringType: "QUOTE_DOUBLE", lineWidth: 80 });
    const startedMs = performance.now();
    expect(readYaml(written)).toEqual({ a: body, b: body });
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });
});
