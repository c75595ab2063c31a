import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textWithOrigin } from "#lib/contract/example-origin";
import { sites } from "#lib/contract/sites";
import { getLlmsTxt, writeLlmsFullTxt, writeLlmsTxt } from "#lib/discovery/content/llms-txt";
import { loadPages, type Page } from "#lib/discovery/content/pages";
import { AppError } from "#lib/platform/errors";
import type { CassetteSummary } from "#lib/replay/cassettes/index";
import { linksOfMarkdown } from "#tests/api/discovery/follow-links";
import { isExtended } from "#tests/support/extended";

const origin = "https://legal.example.com";
const site = sites[1] as (typeof sites)[0];

const cassette = (slug: string, title = "A title") =>
  ({
    id: `legal/${slug}`,
    vertical: "legal",
    title,
    subtitle: "A line (authored)",
    durationMs: 4200,
  }) as CassetteSummary;
const page = (slug: string, section: Page["section"] = "Start", markdown = "Text."): Page => ({
  slug,
  section,
  title: `Page ${slug}`,
  description: "What it is.",
  markdown,
});

/** Parses like the reference parser of version 1: title, summary, details, and sections of `- [name](url): notes`. */
function parse(text: string) {
  const [head = "", ...rest] = text.split(/^## +/m);
  const match = /^# (?<title>.+?)\n+(?:> (?<summary>.+?)\n+)?(?<info>[\s\S]*)$/.exec(head);
  const sections = rest.map((block) => {
    const [name = "", ...lines] = block.trim().split("\n");
    return { name, lines: lines.filter((line) => line.trim() !== "") };
  });
  return { ...match?.groups, sections };
}
const entry = /^- \[(?:\\[[\]]|[^[\]])+\]\(https?:\/\/[^()\s]+\): \S.*$/;

describe("llms.txt", () => {
  it("consists of a title, a summary, details without headings, and lists of links", async () => {
    const text = writeLlmsTxt({ origin, site, pages: await loadPages(), cassettes: [cassette("nda-review")] });
    const { title, summary, info, sections } = parse(text) as ReturnType<typeof parse> & Record<string, string>;
    expect(title).toBe("Tapedeck Legal");
    expect(summary).toContain(site.tagline);
    expect(info).not.toMatch(/^#/m);
    expect(info).toContain("version 2");
    expect(sections.map(({ name }) => name)).toEqual([
      "Cassettes",
      "Interfaces",
      "Start",
      "Test",
      "Vendor tracking",
      "Replay",
      "Reference",
      "Operations",
      "Optional",
    ]);
    for (const { name, lines } of sections) {
      expect([name, lines.length > 0]).toEqual([name, true]);
      for (const line of lines) expect(line).toMatch(entry);
    }
  });

  it("lists every page once, with decision records in the optional section", async () => {
    const pages = await loadPages();
    const text = writeLlmsTxt({ origin, site, pages, cassettes: [] });
    for (const { slug } of pages) {
      expect([slug, text.split(`(${origin}/docs/${slug || "index"}.md)`).length]).toEqual([slug, 2]);
    }
    const optional = parse(text).sections.at(-1);
    expect(optional?.lines.filter((line) => line.includes("/docs/decisions/")).length).toBe(
      pages.filter(({ section }) => section === "Decisions").length,
    );
  });

  it("lists the site's cassettes with their replay URLs, and has no empty section", () => {
    const text = writeLlmsTxt({ origin, site, pages: [page("a")], cassettes: [cassette("nda-review")] });
    expect(text).toContain(
      `- [A title](${origin}/api/v1/replay/legal/nda-review): A line (authored); \`legal/nda-review\`, 4 s.`,
    );
    expect(writeLlmsTxt({ origin, site, pages: [page("a")], cassettes: [] })).not.toContain("## Cassettes");
  });

  it("stays valid whatever the title of a cassette", () => {
    const piece = fc.constantFrom("a", " ", "[", "]", "(", ")", "\\", "`", "*", "_", "<", ">", "!", "\n", "# ", "- ");
    const words = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => `x${pieces.join("")}`);
    fc.assert(
      fc.property(words, words, (title, subtitle) => {
        const text = writeLlmsTxt({ origin, site, pages: [], cassettes: [{ ...cassette("a", title), subtitle }] });
        const [list] = parse(text).sections;
        expect([list?.name, list?.lines.length]).toEqual(["Cassettes", 1]);
        expect(linksOfMarkdown(list?.lines[0] as string)[0]).toBe(`${origin}/api/v1/replay/legal/a`);
        expect(list?.lines[0]).toMatch(/^- \[x/);
      }),
    );
  });

  it("has a limited number of cassettes", () => {
    const cassettes = Array.from({ length: 1000 }, (_, at) => cassette(`c-${at}`));
    expect(parse(writeLlmsTxt({ origin, site, pages: [], cassettes })).sections[0]?.lines).toHaveLength(200);
  });

  it("is available without a cassette store", async () => {
    const list = async () => {
      throw new AppError("service_unavailable", "The store does not answer.");
    };
    const catalogue = { list } as unknown as Parameters<typeof getLlmsTxt>[0]["catalogue"];
    expect(await getLlmsTxt({ origin, site, catalogue })).toContain("## Interfaces");
  });
});

describe("llms-full.txt", () => {
  it("has every page in full, in order, with its URL", async () => {
    // Each takes 20 ms to parse.
    const pages = (await loadPages()).filter((_page, index) => isExtended || index % 3 === 0);
    const text = writeLlmsFullTxt({ origin, site, pages });
    const starts = pages.map(({ title, slug }) =>
      text.indexOf(`\n---\n\n# ${title}\n\nSource: ${origin}${slug ? `/docs/${slug}` : "/docs"}\n`),
    );
    expect(starts.every((start) => start > 0)).toBe(true);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    const unlinked = (part: string) => part.replaceAll(/\]\([^)]*\)/g, "]()");
    const whole = unlinked(text);
    for (const { markdown } of pages) expect(whole).toContain(unlinked(textWithOrigin(markdown, origin)));
  });

  it("has absolute links to markdown, and unchanged code", () => {
    const markdown = [
      "[a](/docs/replay) [b](/docs/webhooks#verifying) [c](/docs) [d](/openapi.json) [e](/docs/replay.md) [f](#here)",
      "![p](/bench/replay.svg) [`code`](/docs/limits)",
      "```md\n[x](/docs/replay)\n```",
      "`[y](/docs/replay)`",
      "| A | B |\n|---|---|\n| [z](/docs/feed) | / |",
      "[g](/docs/api) [h](/docs/api/replay#searchSite)",
    ].join("\n\n");
    const text = writeLlmsFullTxt({ origin, site, pages: [page("a", "Start", markdown)] });
    for (const link of [
      `[a](${origin}/docs/replay.md)`,
      `[b](${origin}/docs/webhooks.md#verifying)`,
      `[c](${origin}/docs/index.md)`,
      `[d](${origin}/openapi.json)`,
      `[e](${origin}/docs/replay.md)`,
      "[f](#here)",
      `![p](${origin}/bench/replay.svg)`,
      `[\`code\`](${origin}/docs/limits.md)`,
      "[x](/docs/replay)",
      "`[y](/docs/replay)`",
      `[z](${origin}/docs/feed.md)`,
      `[g](${origin}/openapi.json)`,
      `[h](${origin}/openapi.json)`,
    ]) {
      expect(text).toContain(link);
    }
  });
});
