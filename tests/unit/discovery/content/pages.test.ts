import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Nodes } from "hast";
import { beforeAll, describe, expect, it } from "vitest";
import { endpoints, listApiGroups } from "#app/endpoints";
import { exampleOrigin } from "#lib/contract/example-origin";
import { loadPages, type Page, renderPage, textOf, treeWithOrigin } from "#lib/discovery/content/index";
import { isExtended } from "#tests/support/extended";

const root = resolve(import.meta.dirname, "../../../..");

function hrefsOf(node: Nodes): string[] {
  const inside = "children" in node ? node.children.flatMap(hrefsOf) : [];
  if (node.type !== "element") return inside;
  const { href, src } = node.properties;
  return [href, src].flatMap((value) => (typeof value === "string" ? [value] : [])).concat(inside);
}

function idsOf(node: Nodes): string[] {
  const inside = "children" in node ? node.children.flatMap(idsOf) : [];
  return node.type === "element" && node.properties.id ? [String(node.properties.id), ...inside] : inside;
}

async function rendered(page: Page) {
  const { tree } = await renderPage(page);
  return { page, tree, hrefs: hrefsOf(tree), ids: new Set(idsOf(tree)) };
}

/** All pages, rendered once: that takes a second. */
let all: Awaited<ReturnType<typeof rendered>>[];
beforeAll(async () => {
  all = await Promise.all((await loadPages()).map(rendered));
});

/** Paths that exist: endpoints without parameters, public files, and the parts of the API reference. */
const answered = (path: string) =>
  listApiGroups().some(({ slug }) => path === `/docs/api/${slug}`) ||
  endpoints.some((endpoint) => endpoint.path === path && endpoint.method === "GET") ||
  existsSync(join(root, "public", path)) ||
  existsSync(join(root, "app", path, "page.tsx"));

describe("the pages", () => {
  it("have unique titles, and unique positions in their section", async () => {
    const pages = await loadPages();
    expect(pages.length).toBeGreaterThan(40);
    const titles = pages.map(({ title }) => title);
    expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([]);
    const ordered = pages.filter(({ order }) => order !== undefined);
    const places = ordered.map(({ section, order }) => `${section} ${order}`);
    expect(places.filter((place, at) => places.indexOf(place) !== at)).toEqual([]);
  });

  it("cover all parts of the service", async () => {
    const slugs = (await loadPages()).map(({ slug }) => slug);
    const wanted =
      "quickstart discovery replay drop-in cassettes recording fleet search mcp vendors feed diffs intelligence webhooks keys-and-tiers limits errors billing self-hosting vercel operations security privacy changelog-policy";
    expect(slugs).toEqual(expect.arrayContaining(wanted.split(" ")));
  });

  it("keep the examples' origin nowhere on a server with another one: not in code, tables or text", async () => {
    const trees = all.filter((_page, index) => isExtended || index % 3 === 0).map(({ tree }) => tree);
    const origin = "https://replay.example.com";
    const before = trees.map((tree) => textOf(tree));
    const after = trees.map((tree) => textOf(treeWithOrigin(tree, origin)));
    expect(before.filter((text) => text.includes(exampleOrigin)).length).toBeGreaterThan(isExtended ? 10 : 3);
    expect(after).toEqual(before.map((text) => text.replaceAll(exampleOrigin, origin)));
    expect(trees.map((tree) => textOf(tree))).toEqual(before);
  });

  it("link only to existing pages, headings, endpoints and files", async () => {
    const broken: string[] = [];
    for (const { page, hrefs, ids } of all) {
      for (const href of hrefs) {
        if (/^(https?:|mailto:)/.test(href)) {
          expect(() => new URL(href)).not.toThrow();
          continue;
        }
        const [path = "", anchor] = href.split("#");
        const isDocs = path === "/docs" || (path.startsWith("/docs/") && !/^\/docs\/api(\/|$)/.test(path));
        const slug = path.replace(/^\/docs\/?/, "").replace(/\.md$/, "");
        const target = all.find((other) => other.page.slug === slug);
        const isThere = path === "" || (isDocs ? target !== undefined : answered(path));
        const known = path === "" ? ids : target?.ids;
        if (!isThere || (anchor !== undefined && !known?.has(anchor))) broken.push(`${page.slug}: ${href}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it("of decisions have one format: dated, with context, decision and consequences", async () => {
    const records = (await loadPages()).filter(({ section }) => section === "Decisions");
    expect(records.length).toBeGreaterThan(12);
    for (const { slug, markdown } of records) {
      const [, date] = /^decisions\/(\d{4}-\d{2}-\d{2})-[a-z0-9-]+$/.exec(slug) ?? [];
      expect([slug, markdown.startsWith(`${date}\n`)]).toEqual([slug, true]);
      const headings = [...markdown.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
      expect([slug, headings]).toEqual([slug, ["Context", "Decision", "Consequences"]]);
    }
  });
});
