import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { exampleOrigin, textWithOrigin } from "#lib/contract/example-origin";
import { type SiteContext, summary } from "#lib/discovery/documents/index";
import { AppError } from "#lib/platform/errors";
import { perObject } from "#lib/platform/per-object";
import { type CassetteSummary, type Catalogue, cassettesOfSite, replayUrl } from "#lib/replay/cassettes/index";
import { loadPages, type Page, pageMarkdown, pagePath, rawPagePath } from "./pages";

const parser = unified().use(remarkParse).use(remarkGfm);

/** The fields of a parsed markdown node that are used. */
type MarkdownNode = {
  url?: string;
  position?: { start: { offset?: number | undefined }; end: { offset?: number | undefined } } | undefined;
  children?: MarkdownNode[];
};

/** The range of a root-relative URL in the text. */
type LinkRange = { start: number; end: number; url: string };

function linkRangesOf({ url, position, children = [] }: MarkdownNode, text: string): LinkRange[] {
  const inside = children.flatMap((child) => linkRangesOf(child, text));
  const [from, to] = [position?.start.offset, position?.end.offset];
  if (url === undefined || !url.startsWith("/") || from === undefined || to === undefined) return inside;
  const start = text.lastIndexOf(url, to);
  return start < from ? inside : [...inside, { start, end: start + url.length, url }];
}

/** Returns the path of a documentation page's markdown, and that of the OpenAPI document for the reference. */
function toMarkdownPath(url: string): string {
  if (/^\/docs\/api([/#]|$)/.test(url)) return "/openapi.json";
  const [, page, anchor = ""] = /^\/docs(?:\/([a-z0-9/-]+))?(#.*)?$/.exec(url) ?? [];
  return url.startsWith("/docs") && !/\.\w+(#|$)/.test(url) ? `/docs/${page ?? "index"}.md${anchor}` : url;
}

/** Parses each page once, with the examples' own origin, because pages do not change. */
const linksOf = perObject((page: Page) => {
  const text = pageMarkdown(page, { origin: exampleOrigin });
  return linkRangesOf(parser.parse(text), text).sort((a, b) => a.start - b.start);
});

/**
 * Returns a page's markdown with absolute links: root-relative links get the site's origin, and links to documentation
 * pages lead to their markdown. Examples use the origin too; other code stays unchanged.
 */
function absoluteMarkdown(page: Page, origin: string): string {
  const text = pageMarkdown(page, { origin: exampleOrigin });
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, url } of linksOf(page)) {
    parts.push(textWithOrigin(text.slice(from, start), origin), origin, toMarkdownPath(url));
    from = end;
  }
  return [...parts, textWithOrigin(text.slice(from), origin)].join("");
}

type LlmsContext = SiteContext & { catalogue: Catalogue };
type LlmsInput = SiteContext & { pages: readonly Page[]; cassettes: readonly CassetteSummary[] };

/** Most cassettes in /llms.txt; the listing has them all. */
const maxCassetteCount = 200;

/** Sections that a reader with a small context may skip. */
const optionalSections: ReadonlySet<string> = new Set(["Decisions"]);

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();

/** Returns an entry of a file list, escaped so that parsers of both versions of the format read it correctly. */
function link(name: string, url: string, notes: string): string {
  return `- [${oneLine(name).replaceAll(/[\\[\]`*_<]/g, "\\$&")}](${url}): ${oneLine(notes)}`;
}

function fileList(heading: string, links: readonly string[]): string[] {
  return links.length > 0 ? [`## ${heading}`, links.join("\n")] : [];
}

function pageLinks(pages: readonly Page[], origin: string): string[] {
  return pages.map((page) => link(page.title, `${origin}${rawPagePath(page)}`, page.description));
}

function cassetteLinks(cassettes: readonly CassetteSummary[], origin: string): string[] {
  return cassettes
    .slice(0, maxCassetteCount)
    .map(({ id, title, subtitle, durationMs }) =>
      link(title, replayUrl(origin, id), `${subtitle}; \`${id}\`, ${Math.max(1, Math.round(durationMs / 1000))} s.`),
    );
}

function interfaceLinks(origin: string): string[] {
  return [
    link("Cassettes", `${origin}/api/v1/cassettes`, "all cassettes of this site, as JSON."),
    link("Random replay", `${origin}/api/v1/replay/random`, "redirects to the stream of a random cassette."),
    link("Search", `${origin}/api/v1/search?q=streaming`, "searches cassettes, pages, vendors and models for `q`."),
    link("MCP", `${origin}/api/mcp`, "tools over stateless Streamable HTTP; no API key required."),
    link("MCP with sessions", `${origin}/api/mcp/v2`, "vendor tools, and a stream of notifications."),
    link("OpenAPI 3.1", `${origin}/openapi.json`, "all HTTP endpoints."),
    link("Feed", `${origin}/api/v1/feed`, "changes in vendors' llms.txt files."),
    link("Changes", `${origin}/changes`, "a timeline of all changes, with filters, as a page."),
    link("Atom feed", `${origin}/feed.xml`, "the same timeline with the same filters, for feed readers."),
    link("Vendors", `${origin}/api/v1/vendors`, "all tracked vendors."),
    link("Models", `${origin}/api/v1/models`, "when language models end, what replaces them, and what they cost."),
    link("Fleet", `${origin}/api/v1/fleet`, "all sites of the fleet, each with its own llms.txt."),
    link("Changelog", `${origin}/changelog.md`, "what changed in each version."),
    link("Agents", `${origin}/.well-known/agents.json`, "these URLs as JSON."),
    link(
      "AI catalog",
      `${origin}/.well-known/ai-catalog.json`,
      "the MCP server card and the site's documents, with their types.",
    ),
  ];
}

function optionalLinks(pages: readonly Page[], origin: string): string[] {
  const whole = link(
    "All pages in one file",
    `${origin}/llms-full.txt`,
    "the markdown of all pages listed in this file.",
  );
  return [whole, ...pageLinks(pages, origin)];
}

function details(origin: string): string {
  return `This file follows the [llms.txt](https://llmstxt.org/) format, version 2, and covers all of ${origin}. The linked pages are markdown, and their examples use this origin. To see a stream, run \`curl -NL ${origin}/api/v1/replay/random\`.`;
}

/** Returns the text of /llms.txt: title, summary, details, and lists of links. */
export function writeLlmsTxt({ origin, site, pages, cassettes }: LlmsInput): string {
  const sections = [...new Set(pages.map(({ section }) => section))].filter((name) => !optionalSections.has(name));
  const pagesOf = (section: string) => pages.filter((page) => page.section === section);
  const optional = pages.filter(({ section }) => optionalSections.has(section));
  const blocks = [
    `# ${site.display_name}`,
    `> ${site.tagline} ${summary}`,
    details(origin),
    ...fileList("Cassettes", cassetteLinks(cassettes, origin)),
    ...fileList("Interfaces", interfaceLinks(origin)),
    ...sections.flatMap((section) => fileList(section, pageLinks(pagesOf(section), origin))),
    ...fileList("Optional", optionalLinks(optional, origin)),
  ];
  return `${blocks.join("\n\n")}\n`;
}

/** Returns the text of /llms-full.txt: the markdown of all pages in navigation order, each with its URL. */
export function writeLlmsFullTxt({ origin, site, pages }: Omit<LlmsInput, "cassettes">): string {
  const head = `# ${site.display_name}\n\n> ${site.tagline} ${summary}\n\nAll pages of ${origin}/docs. [llms.txt](${origin}/llms.txt) is the index.\n`;
  const texts = pages.map((page) => {
    const [title, ...rest] = absoluteMarkdown(page, origin).split("\n");
    return [title, "", `Source: ${origin}${pagePath(page)}`, ...rest].join("\n");
  });
  return [head, ...texts].join("\n---\n\n");
}

/** Returns the site's cassettes, or none if the store does not respond: the rest of the file is useful without them. */
async function cassettesIfAny(context: LlmsContext): Promise<readonly CassetteSummary[]> {
  try {
    return await cassettesOfSite(context);
  } catch (error) {
    if (error instanceof AppError && error.code === "service_unavailable") return [];
    throw error;
  }
}

/** Returns the site's /llms.txt. */
export async function getLlmsTxt(context: LlmsContext): Promise<string> {
  const { origin, site } = context;
  const [pages, cassettes] = await Promise.all([loadPages(), cassettesIfAny(context)]);
  return writeLlmsTxt({ origin, site, pages, cassettes });
}

/** Returns the site's /llms-full.txt. */
export async function getLlmsFullTxt({ origin, site }: SiteContext): Promise<string> {
  return writeLlmsFullTxt({ origin, site, pages: await loadPages() });
}
