import { fromMarkdown } from "mdast-util-from-markdown";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { catalogue } from "#lib/replay/cassettes/index";
import { bundledIds } from "#tests/support/bundled-cassettes";
import { Markdown, splitBlocks } from "../../../app/_components/player/markdown";

const render = (text: string) => renderToStaticMarkup(createElement(Markdown, { text }));

describe("a model's markdown", () => {
  it("is rendered as paragraphs, lists, tables and code", () => {
    const html = render("# Title\n\n3. **b**\n4. y\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet a;\n```");
    const parts = ['<h3 dir="auto">Title</h3>', "<strong>b</strong>", '<ol start="3">', '<td dir="auto">1</td>'];
    for (const part of [...parts, "<code>let a;</code>"]) expect(html).toContain(part);
  });

  it("never creates HTML elements from tags in the text", () => {
    const html = render('<script>alert(1)</script>\n\n<img src=x onerror="alert(1)"> a <b onclick=x>b</b>');
    expect(html).not.toMatch(/<(script|img|b)\b/);
    expect(html).toContain("&lt;script&gt;");
  });

  it("only links to http(s) URLs, and loads no images", () => {
    const others = "[a](javascript:alert(1)) [b](data:text/html,x) [c](/local) ![d](https://x.example/d.png)";
    const html = render(`${others} [e](https://e.example/?q=%22)`);
    expect(html.match(/<a /g)).toHaveLength(1);
    expect(html).toContain('<a href="https://e.example/?q=%22" rel="nofollow noreferrer">e</a>');
    expect(html).not.toContain("<img");
  });

  it("renders a citation mark as its number", () => {
    expect(render("Rose.\uE0002\uE001")).toMatch(/<p dir="auto">Rose\.<sup[^>]*>2<\/sup><\/p>/);
  });
});

describe("markdown split into blocks", () => {
  it("renders the same as the complete text, for every bundled answer", async () => {
    const texts = (await catalogue().list()).map(({ text }) => text);
    expect(texts).toHaveLength(bundledIds.length);
    const withoutPosition = (key: string, value: unknown) => (key === "position" ? undefined : value);
    const parseNodes = (text: string) =>
      fromMarkdown(text).children.map((node) => JSON.stringify(node, withoutPosition));
    let blockCount = 0;
    for (const text of texts) {
      const blocks = splitBlocks(text);
      expect(blocks.map(({ block }) => block).join("")).toBe(text);
      blockCount += blocks.length;
      expect(blocks.flatMap(({ block }) => parseNodes(block))).toEqual(parseNodes(text));
    }
    expect(blockCount).toBeGreaterThan(100);
  });

  it("is not split within fenced code or before the continuation of a list", () => {
    const cut = (text: string) => splitBlocks(text).map(({ block }) => block);
    expect(cut("a\n\nb")).toEqual(["a\n\n", "b"]);
    expect(cut("```\nx\n\ny\n```\n\nz")).toEqual(["```\nx\n\ny\n```\n\n", "z"]);
    expect(cut("````\n```\n\ny")).toEqual(["````\n```\n\ny"]);
    expect(cut("1. a\n\n2. b\n\n   c\n\n- d")).toEqual(["1. a\n\n2. b\n\n   c\n\n- d"]);
    expect(cut("")).toEqual([""]);
  });
});
