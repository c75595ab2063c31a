import type { Nodes } from "hast";
import { describe, expect, it } from "vitest";
import { copiedCode, highlightCode, loadPages, renderPage, textOf } from "#lib/discovery/content/index";

const fence = (language: string, code: string) => ({ markdown: `## Here\n\n\`\`\`${language}\n${code}\n\`\`\`\n` });

/** Returns all elements of a tree. */
function elementsOf(node: Nodes): Extract<Nodes, { type: "element" }>[] {
  const inside = "children" in node ? node.children.flatMap(elementsOf) : [];
  return node.type === "element" ? [node, ...inside] : inside;
}

const samples: [string, string][] = [
  ["bash", 'curl -X POST "http://x/$ID" \\\n  -d \'{"a": 1}\' # why'],
  ["json", '{"a": [1, true, "x"], "b": null}'],
  ["ts", 'export const a: string = f(1, "x"); // no'],
  ["python", 'def f(x: int) -> str:\n    """Says."""\n    return f"{x}"'],
  ["go", 'func f() (string, error) { return "x", nil }'],
  ["yaml", "a: 1\nb:\n  - true # yes"],
  ["http", "GET /x HTTP/1.1\nHost: x\n"],
  ["diff", "@@ -1 +1 @@\n-a\n+b"],
];

describe("highlighting", () => {
  it.each(samples)("of %s keeps the code, with more than one kind of token", async (language, code) => {
    const tokens = await highlightCode(code, language);
    expect(tokens.map(({ text }) => text).join("")).toBe(code);
    expect(new Set(tokens.map(({ kind }) => kind)).size).toBeGreaterThan(1);
  });

  it.each(["text", "cobol", "constructor", "__proto__"])("leaves %s plain", async (language) => {
    expect(await highlightCode("if (a) <b>", language)).toEqual([{ text: "if (a) <b>", kind: "plain" }]);
  });

  it("leaves too long code plain", async () => {
    const code = "const a = 1;\n".repeat(5_000);
    expect(await highlightCode(code, "ts")).toEqual([{ text: code, kind: "plain" }]);
  });

  it("distinguishes commands from output in a terminal session", async () => {
    const code = "$ curl x \\\n  -d y\n{}\n$ ls";
    const tokens = await highlightCode(code, "console");
    expect(tokens.map(({ text }) => text).join("")).toBe(code);
    expect(tokens.filter(({ kind }) => kind === "prompt").map(({ text }) => text.trim())).toEqual(["$", "$"]);
    expect(tokens.find(({ kind }) => kind === "output")?.text).toContain("{}");
  });

  it("copies only the commands of a session", () => {
    expect(copiedCode("$ curl x \\\n  -d y\n{}\n$ ls", "console")).toBe("curl x \\\n  -d y\nls");
    expect(copiedCode("no prompt\n", "console")).toBe("no prompt\n");
    expect(copiedCode("$ x", "text")).toBe("$ x");
  });
});

describe("a rendered page", () => {
  it("has token classes and no inline styles, whatever its code contains", async () => {
    const { tree } = await renderPage(fence("html", '<script>alert(1)</script><b style="color:red" onclick="x()">'));
    const { tree: ts } = await renderPage(fence("ts", 'const a = "<script>alert(1)</script>";'));
    for (const element of [...elementsOf(tree), ...elementsOf(ts)]) {
      expect(Object.keys(element.properties)).not.toContain("style");
      expect(["h2", "pre", "code", "span"]).toContain(element.tagName);
    }
    const spans = elementsOf(ts).filter(({ tagName }) => tagName === "span");
    expect(spans.length).toBeGreaterThan(1);
    for (const { properties } of spans) expect(String(properties.className)).toMatch(/^token-[a-z]+$/);
    expect(textOf(ts)).toContain('const a = "<script>alert(1)</script>";');
  });

  it("marks the options of inline code, behind whose hyphens no line may break", async () => {
    const { tree } = await renderPage({ markdown: "`run-it --mode replay -x`\n\n```sh\nrun --mode\n```" });
    expect(JSON.stringify(tree).match(/"dataOption":true},"children":\[{"type":"text","value":"[^"]*"/g)).toEqual([
      '"dataOption":true},"children":[{"type":"text","value":"--mode"',
      '"dataOption":true},"children":[{"type":"text","value":"-x"',
    ]);
    expect(textOf(tree)).toContain("run-it --mode replay -x");
  });

  it("has each block's language and the heading above it", async () => {
    const { tree } = await renderPage(fence("bash", "ls"));
    const pre = elementsOf(tree).find(({ tagName }) => tagName === "pre");
    expect(pre?.properties).toMatchObject({ dataLanguage: "bash", dataHeading: "Here" });
  });

  it("has its headings of the second and third level with their lines", async () => {
    const { headings } = await renderPage({ markdown: "# A\n\n## B\n\n### C `d`\n\n#### E\n" });
    expect(headings).toEqual([
      { id: "b", text: "B", depth: 2, line: 2 },
      { id: "c-d", text: "C d", depth: 3, line: 4 },
    ]);
  });

  it("is rendered once per page", async () => {
    const [page] = await loadPages();
    if (!page) throw new Error("there are no pages");
    expect(await renderPage(page)).toBe(await renderPage(page));
  });
});
