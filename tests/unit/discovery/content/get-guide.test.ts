import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { maxResultLength } from "#lib/contract/tool";
import { contentTools, loadPages, type Page, pageMarkdown } from "#lib/discovery/content/index";
import { readGuide } from "#lib/discovery/content/tools";

const origin = "https://replay.example.com";
const [tool] = contentTools as [(typeof contentTools)[0]];

function call(input: z.input<typeof tool.input>) {
  return tool.run({ origin }, tool.input.parse(input)).then((result) => tool.output.parse(result));
}

describe("get_guide", () => {
  it("lists all guides without arguments, within the size of one result", async () => {
    const { guides, ...rest } = await call({});
    const pages = await loadPages();
    expect(guides).toHaveLength(pages.length);
    expect(guides?.[0]).toEqual({
      guide: "index",
      title: "Overview",
      description: expect.any(String),
      section: "Start",
    });
    expect(rest).toEqual({});
    expect(JSON.stringify(guides).length).toBeLessThan(maxResultLength);
  });

  it("returns each guide", async () => {
    for (const page of await loadPages()) {
      const { title, markdown, next_cursor } = await call({ guide: page.slug || "index" });
      expect([title, markdown, next_cursor]).toEqual([page.title, pageMarkdown(page, { origin }), null]);
    }
  });

  it("pages a long guide, each page starting where the previous one ended", async () => {
    const parts: string[] = [];
    let cursor: string | null = null;
    do {
      const part = await readGuide({ origin }, { guide: "webhooks", cursor, maxLength: 1000 });
      parts.push(part.markdown);
      cursor = part.next_cursor;
    } while (cursor !== null);
    const page = (await loadPages()).find(({ slug }) => slug === "webhooks") as Page;
    expect(parts.length).toBeGreaterThan(5);
    expect(parts.join("")).toBe(pageMarkdown(page, { origin }));
  });

  it.each([
    "webhooks",
    "/docs/webhooks",
    "docs/webhooks.md",
    "https://replay.example.com/docs/webhooks#no-such-section",
  ])("takes %s for the guide webhooks", async (guide) =>
    expect((await call({ guide })).url).toBe(`${origin}/docs/webhooks`),
  );

  it("returns the section after a #, with those below it, and the guide if there is none", async () => {
    const { markdown, url } = await call({ guide: "testing-reference#hand-written-answers" });
    const [page] = (await loadPages()).filter(({ slug }) => slug === "testing-reference") as [Page];
    const [, after = ""] = page.markdown.split(/^(?=## Hand-written answers$)/m);
    const [section] = after.split(/\n(?=## )/);
    expect(url).toBe(`${origin}/docs/testing-reference#hand-written-answers`);
    expect(markdown).toBe(pageMarkdown({ ...page, markdown: section as string }, { origin }));
    for (const { slug } of await loadPages())
      expect((await call({ guide: `${slug || "index"}#no-such-section` })).url).not.toContain("#");
  });

  it.each(["index", "/docs", "/docs/index.md"])("accepts %s for the overview", async (guide) =>
    expect((await call({ guide })).url).toBe(`${origin}/docs`),
  );

  it("finds decision records by their path", async () => {
    const record = (await loadPages()).find(({ slug }) => slug.startsWith("decisions/"));
    expect((await call({ guide: record?.slug as string })).title).toBe(record?.title);
  });

  it("names similar guides for an unknown one", async () => {
    await expect(call({ guide: "webhook" })).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringMatching(/Similar names: webhooks, /),
    });
    await expect(call({ guide: "quikstart" })).rejects.toMatchObject({
      message: expect.stringContaining("quickstart"),
    });
    await expect(call({ guide: "日本" })).rejects.toMatchObject({ message: expect.stringContaining("for the list") });
  });

  it("rejects a cursor without its guide or of another guide", async () => {
    await expect(call({ cursor: "abc" })).rejects.toMatchObject({ code: "bad_request" });
    await expect(call({ guide: "webhooks", cursor: "abc" })).rejects.toMatchObject({ code: "invalid_cursor" });
  });
});
