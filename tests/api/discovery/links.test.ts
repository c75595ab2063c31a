import { describe, expect, inject, it } from "vitest";
import { sites } from "#lib/contract/sites";
import { loadPages } from "#lib/discovery/content/index";
import { isExtended } from "#tests/support/extended";
import { seededRandom } from "#tests/support/seeded-random";
import {
  ask,
  follow,
  idsOfHtml,
  linksOfFields,
  linksOfHtml,
  linksOfJson,
  linksOfMarkdown,
  linksOfSitemap,
} from "./follow-links";

/** Links that are followed for each site by default; all with `--extended`. */
const sampleCount = 12;
/**
 * Pages of the documentation that are read by default, and of their links to other pages; all with `--extended`. The trees of all
 * pages are checked in tests/unit/discovery/content/pages.test.ts.
 */
const pageCount = 4;
const random = seededRandom("links");
function sampled<T>(items: readonly T[], count = sampleCount): readonly T[] {
  if (isExtended) return items;
  const ordered = items.map((item) => ({ item, order: random() })).toSorted((a, b) => a.order - b.order);
  return ordered.slice(0, count).map(({ item }) => item);
}

/** Timeout for the links of a site, in milliseconds. */
const siteTimeoutMs = 600_000;
/** Concurrent requests. */
const concurrency = 4;

const port = () => new URL(inject("baseUrl")).port;
const originOf = (slug: string) => `http://${slug}.localhost:${port()}`;
const familyOrigins = () => sites.map(({ slug }) => originOf(slug));

const fromJson = (text: string) => linksOfJson(JSON.parse(text));

/** Stands for the origin of a site, apart from which the sites have the same pages. */
const anyOrigin = "http://site.invalid";
const linksByPage = new Map<string, string[]>();

/** Returns the links of llms-full.txt. A page that is the same on several sites is parsed once. */
function linksOfPages(text: string, origin: string): string[] {
  const pages = text.replaceAll(origin, anyOrigin).split("\n---\n\n");
  return pages.flatMap((page) => {
    const links = linksByPage.get(page) ?? linksOfMarkdown(page);
    linksByPage.set(page, links);
    return links.map((link) => link.replaceAll(anyOrigin, origin));
  });
}

/** All documents with links, and how their links are extracted. */
const surfaces: Readonly<Record<string, (text: string, origin: string) => string[]>> = {
  "/llms.txt": linksOfMarkdown,
  // Its pages are those of the documentation, whose links are followed in any case.
  ...(isExtended && { "/llms-full.txt": linksOfPages }),
  "/.well-known/agents.json": fromJson,
  "/.well-known/mcp/server-card.json": fromJson,
  "/.well-known/ai-catalog.json": fromJson,
  "/.well-known/security.txt": linksOfFields,
  "/server.json": fromJson,
  "/robots.txt": linksOfFields,
  "/sitemap.xml": linksOfSitemap,
  "/openapi.json": (text) => linksOfJson(JSON.parse(text).servers),
  "/api/v1/fleet": fromJson,
  "/api/v1/replay": (text) => {
    // The pattern is not a URL; the example is.
    const { endpoint_pattern: _pattern, ...document } = JSON.parse(text);
    return linksOfJson(document);
  },
  "/api/v1/cassettes": fromJson,
};

/** Returns the links of a document, without fragments. */
async function linksOf(origin: string, path: string): Promise<string[]> {
  const { status, text } = await ask(`${origin}${path}`);
  expect([origin, path, status]).toEqual([origin, path, 200]);
  const links = surfaces[path]?.(text, origin) ?? [];
  expect([path, links.length > 0]).toEqual([path, true]);
  return links.filter((link) => !link.startsWith("#"));
}

const followed = new Map<string, Promise<string | null>>();

/**
 * Follows each link once, even if several documents contain it. Every site serves the same paths, so a path is followed
 * on one site only, except in an extended run.
 */
function followOnce(link: string): Promise<string | null> {
  const [url = ""] = link.split("#");
  const known = followed.get(idOf(url)) ?? follow(url);
  followed.set(idOf(url), known);
  return known;
}

function idOf(url: string): string {
  const { pathname, search } = new URL(url);
  return isExtended ? url : `${pathname}${search}`;
}

/** Checks links or paths, and returns the problems by link. */
async function findProblems(links: Iterable<string>, check: (link: string) => Promise<string | null>) {
  const problems = new Map<string, string>();
  const queue = [...links].values();
  const worker = async () => {
    for (const link of queue) {
      const problem = await check(link);
      if (problem !== null) problems.set(link, problem);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return problems;
}

/** Returns the links of each document of a site, by its path. */
async function collectLinks(origin: string): Promise<Map<string, string[]>> {
  const links = new Map<string, string[]>();
  for (const path of Object.keys(surfaces)) links.set(path, await linksOf(origin, path));
  return links;
}

/** The pages of the documentation have the same links on every site. */
const sitesWithPages = isExtended ? sites : sites.slice(0, 1);

describe.each(sitesWithPages.map(({ slug }) => slug))("the documentation of %s", (slug) => {
  it(
    "has pages whose links and anchors lead somewhere",
    async () => {
      const origin = originOf(slug);
      const paths = (await loadPages()).map((page) => (page.slug ? `/docs/${page.slug}` : "/docs"));
      const texts = new Map<string, string>();
      const missing = await findProblems(sampled(paths, pageCount), async (path) => {
        const { status, text } = await ask(`${origin}${path}`);
        texts.set(path, text);
        const problem = status === 200 ? null : `${path} answered ${status}`;
        followed.set(idOf(`${origin}${path}`), Promise.resolve(problem));
        return problem;
      });
      expect(missing).toEqual(new Map());
      const links = new Set<string>();
      for (const [path, text] of texts) {
        for (const href of linksOfHtml(text)) links.add(new URL(href, `${origin}${path}`).href);
      }
      const own = [...links].filter((link) => new URL(link).origin === origin);
      expect(own.length).toBeGreaterThan(isExtended ? 100 : 15);
      const isAnchor = (link: string) => link.includes("#") && texts.has(new URL(link).pathname);
      const toPages = own.filter((link) => !isAnchor(link));
      const checked = [...own.filter(isAnchor), ...sampled(toPages, pageCount)];
      const idsOf = new Map([...texts].map(([path, text]) => [path, idsOfHtml(text)]));
      const broken = await findProblems(checked, async (link) => {
        const { pathname, hash } = new URL(link);
        const ids = idsOf.get(pathname);
        if (hash === "" || ids === undefined) return followOnce(link);
        return ids.has(decodeURIComponent(hash.slice(1))) ? null : `${link} has no such heading`;
      });
      expect(broken).toEqual(new Map());
    },
    siteTimeoutMs,
  );
});

describe.each((isExtended ? sites : sites.slice(1, 2)).map(({ slug }) => slug))("the site documents of %s", (slug) => {
  it(
    "link only to URLs that respond, on an origin of the fleet or elsewhere over https; only the fleet links to siblings",
    async () => {
      const byDocument = await collectLinks(originOf(slug));
      const siblings = familyOrigins().filter((origin) => origin !== originOf(slug));
      for (const [path, found] of byDocument) {
        if (path === "/api/v1/fleet") continue;
        expect([path, found.filter((link) => siblings.includes(new URL(link).origin))]).toEqual([path, []]);
      }
      const links = new Set([...byDocument.values()].flat());
      const own = [...links].filter((link) => familyOrigins().includes(new URL(link).origin));
      const foreign = [...links].filter((link) => !own.includes(link));
      expect(own.length).toBeGreaterThan(100);
      expect(foreign.filter((link) => new URL(link).protocol !== "https:")).toEqual([]);
      const broken = await findProblems(sampled(own), followOnce);
      // Test files that run at the same time delete vendors: a link counts if the documents still contain it.
      const current = broken.size === 0 ? links : new Set([...(await collectLinks(originOf(slug))).values()].flat());
      const remaining = [...broken.keys()].filter((link) => current.has(link));
      expect(await findProblems(remaining, follow)).toEqual(new Map());
    },
    siteTimeoutMs,
  );
});
