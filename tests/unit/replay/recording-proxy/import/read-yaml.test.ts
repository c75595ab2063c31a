import { describe, expect, it } from "vitest";
import { readYaml, WrittenNumber } from "#lib/replay/recording-proxy/import/read-yaml";

describe("YAML", () => {
  it.each<[string, string, unknown]>([
    [
      "bytes",
      "a: !!binary |\n  H4sI\n  AAAA\nb: !binary |-\n  /w==\n",
      { a: Buffer.from("H4sIAAAA", "base64"), b: Buffer.from([255]) },
    ],
    ["an alias", "a: &id001\n  b: [1]\nc: *id001\n", { a: { b: [1] }, c: { b: [1] } }],
    ["a key that begins with a colon", ":status: 200\n", { ":status": 200 }],
    [
      "what looks like a number to others only",
      "a: 1e5\nb: 0o7\nc: 12:30\nd: 010\ne: 1_0\nf: 1.5e3\ng: 0.5\n",
      { a: "1e5", b: "0o7", c: "12:30", d: "010", e: "1_0", f: new WrittenNumber("1.5e3"), g: 0.5 },
    ],
    ["a member called __proto__", "__proto__: 1\n", Object.fromEntries([["__proto__", 1]])],
  ])("%s", (_name, written, expected) => {
    expect(readYaml(written)).toEqual(expected);
  });

  it.each([
    ["a: 1\nb: c: d\n", "line 2: Nested mappings are not allowed"],
    ["a: 1\na: 2\n", 'line 2: the key "a" occurs twice'],
    ["a: !!python/object:x.Y {}\n", "line 1: Unresolved tag"],
    ["a: 1\n---\nb: 2\n", "line 2: is not part of the document before it"],
    ["a: !!binary x?\n", "line 1: is not valid base64"],
    ["[".repeat(30_000), "is nested more than 200 times"],
    ["- ".repeat(30_000), "is nested more than 200 times"],
  ])("that is not valid is an error (%#)", (written, message) => {
    expect(() => readYaml(written)).toThrow(message);
  });

  it("with aliases that stand for billions of values is refused", () => {
    const levels = Array.from({ length: 12 }, (_, level) => {
      const items = Array.from({ length: 10 }, () => (level === 0 ? "x" : `*a${level - 1}`));
      return `a${level}: &a${level} [${items.join(", ")}]`;
    });
    expect(() => readYaml(levels.join("\n"))).toThrow(/alias/);
  });

  it("with very many values is refused before it is read", () => {
    expect(() => readYaml(`[${"1,".repeat(1_100_000)}]`)).toThrow("more than 2000000 pieces");
  });

  it("may repeat one value as often as recorders do", () => {
    const items = Array.from({ length: 1_000 }, () => "- headers: *id001");
    const list = readYaml(`first: &id001\n  accept: ['*/*']\nothers:\n${items.join("\n")}\n`) as { others: unknown[] };
    expect(list.others[999]).toEqual({ headers: { accept: ["*/*"] } });
  });
});
