import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { evaluate, quadraticWeightedKappa, scoreOf } from "#lib/tracking/intelligence/evaluate/evaluate";
import { applyEdits, LabelledSetError, readLabelledSet } from "#lib/tracking/intelligence/evaluate/labelled-set";
import { analyseByRules } from "#lib/tracking/intelligence/rules/analyse-by-rules";

describe("the measures", () => {
  it("weight disagreements by their square, relative to chance", () => {
    expect(
      quadraticWeightedKappa([
        [1, 1],
        [2, 2],
        [5, 5],
      ]),
    ).toBe(1);
    expect(
      quadraticWeightedKappa([
        [1, 3],
        [3, 1],
      ]),
    ).toBe(-1);
    expect(
      quadraticWeightedKappa([
        [1, 1],
        [2, 2],
        [3, 3],
        [4, 3],
      ]),
    ).toBe(0.875);
    expect(quadraticWeightedKappa([[2, 2]])).toBe(1);
  });

  it("count found, correct and labelled cases", () => {
    expect(scoreOf(3, 4, 6)).toMatchObject({ precision: 0.75, recall: 0.5, f1: 0.6 });
    expect(scoreOf(0, 0, 0)).toMatchObject({ precision: 0, recall: 0, f1: 0 });
  });

  it("compare an analyser with the labels", () => {
    const label = { before: "# A\n\nold\n", categories: ["bug-fix" as const] };
    const changes = [
      { ...label, name: "a", after: "# A\n\nnew\n", significance: 4 },
      { ...label, name: "b", after: "# A\n\nnewer\n", significance: 1 },
    ];
    const result = evaluate(changes, (change) => ({
      ...analyseByRules(change),
      significance: 4,
      categories: ["bug-fix", "api-change"],
    }));
    expect(result).toMatchObject({ changes: 2, kappa: 0, sameSignificance: 0.5 });
    expect(result.high).toMatchObject({ recall: 1, precision: 0.5 });
    expect(result.micro).toMatchObject({ truePositives: 2, found: 4, labelled: 2 });
    expect(result.categories["api-change"]).toMatchObject({ found: 2, labelled: 0 });
  });
});

describe("edits", () => {
  const text = "# A\n\n## B\n\none\n\n### C\n\ntwo\n\n## D\n\nthree\n";

  it("replace, remove and move the given text", () => {
    expect(applyEdits(text, [{ replace: "two", with: "2 $& $1" }])).toContain("2 $& $1");
    expect(applyEdits(text, [{ remove_line: "thr" }])).toBe(text.replace("three\n", ""));
    expect(applyEdits(text, [{ remove_section: "## B" }])).toBe("# A\n\n## D\n\nthree\n");
    expect(applyEdits(text, [{ remove_section: "### C" }])).toBe("# A\n\n## B\n\none\n\n## D\n\nthree\n");
    expect(applyEdits(text, [{ move_section: "## D", before: "## B" }])).toMatch(/^# A\n\n## D\n\nthree\n\n## B\n/);
    expect(applyEdits(text, [{ replace_all: "#", with: "$&$&" }])).toMatch(/^\$&\$& A\n/);
  });

  it.each([
    [{ replace: "absent", with: "" }],
    [{ replace: "## ", with: "" }],
    [{ remove_line: "## " }],
    [{ remove_section: "## Z" }],
    [{ move_section: "## B", before: "## Z" }],
    [{ remove_section: "one" }],
  ])("reject text that does not occur exactly once: %j", (edit) => {
    expect(() => applyEdits(text, [edit])).toThrow(LabelledSetError);
  });
});

describe("a heading that is not found", () => {
  const text = "# A\n\n## B\n\none\n\n## C";
  const remove = (heading: string) => () => applyEdits(text, [{ remove_section: heading }]);

  it.each([
    ["B", '"B" is not a heading of the text; write "## B"'],
    ["### b", '"### b" is not a heading of the text; write "## B"'],
    ["Z", '"Z" is not a heading of the text; write the whole line of a heading, such as "## Guides"'],
  ])("is named with the line to write: %s", (heading, message) => {
    expect(remove(heading)).toThrow(message);
  });

  it("is found at the end of a text without a line end, and rejected if it is there twice", () => {
    expect(remove("## C")()).toBe("# A\n\n## B\n\none\n\n");
    expect(() => applyEdits(`${text}\n## B\n`, [{ remove_section: "## B" }])).toThrow("more than once");
  });
});

describe("a labelled set", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "labelled-"));
    mkdirSync(join(folder, "bases"));
    writeFileSync(join(folder, "bases/a.md"), "# A\n\nold\n");
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const write = (changes: string) => writeFileSync(join(folder, "a.yaml"), `base: a.md\nchanges:\n${changes}`);

  it("returns each change with its labels", () => {
    write(
      [
        "  - { name: x, edits: [{ replace: old, with: new }], significance: 1, categories: [bug-fix] }",
        "  - { name: y, rewrite: B, significance: 5, categories: [content-reduction] }",
        "  - { name: z, from: null, significance: 1, categories: [content-expansion] }",
      ].join("\n"),
    );
    expect(readLabelledSet(folder)).toEqual([
      { name: "a: x", before: "# A\n\nold\n", after: "# A\n\nnew\n", significance: 1, categories: ["bug-fix"] },
      { name: "a: y", before: "# A\n\nold\n", after: "B", significance: 5, categories: ["content-reduction"] },
      { name: "a: z", before: null, after: "# A\n\nold\n", significance: 1, categories: ["content-expansion"] },
    ]);
  });

  it.each([
    [
      "  - { name: x, edits: [{ replace: gone, with: a }], significance: 1, categories: [bug-fix] }",
      /x: "gone" is not/,
    ],
    ["  - { name: x, rewrite: a, significance: 6, categories: [bug-fix] }", /significance/],
    ["  - { name: x, rewrite: a, significance: 1, categories: [documentation] }", /categories/],
    [
      "  - { name: x, edits: [{ replace: old, with: old }], significance: 1, categories: [bug-fix] }",
      /the text does not change/,
    ],
    ["  - { name: x, significance: 1, categories: [bug-fix] }", /one of edits, rewrite and from/],
    ["  - [", /a\.yaml/],
    [
      "  - name: x\n    edits:\n      - remove_section: ## B\n    significance: 1\n    categories: [bug-fix]\n",
      /begins with # needs quotation marks/,
    ],
  ])("reports what is wrong: %s", (changes, message) => {
    write(changes);
    expect(() => readLabelledSet(folder)).toThrow(LabelledSetError);
    expect(() => readLabelledSet(folder)).toThrow(message);
  });

  it("is reported if it is missing", () => {
    expect(() => readLabelledSet(folder)).toThrow("has no YAML files");
    expect(() => readLabelledSet(join(folder, "absent"))).toThrow(LabelledSetError);
    expect(() => readLabelledSet(join(folder, "absent"))).toThrow(/absent does not exist\. A set is a folder of/);
    expect(() => readLabelledSet(join(folder, "bases/a.md"))).toThrow(/a\.md is not a folder\. A set is/);
    writeFileSync(
      join(folder, "b.yaml"),
      "base: b.md\nchanges: [{ name: x, from: null, significance: 1, categories: [bug-fix] }]",
    );
    expect(() => readLabelledSet(folder)).toThrow(
      /b\.yaml: the base b\.md does not exist; it must be the file .*b\.md$/,
    );
  });
});
