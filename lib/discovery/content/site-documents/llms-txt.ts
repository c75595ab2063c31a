import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { AppError } from "#lib/platform/errors";
import { type CassetteSummary, type Catalogue, cassettesOfSite, replayUrl } from "#lib/replay/cassettes/index";
import { loadPages, type Page, pageMarkdown, pagePath, rawPagePath } from "../pages";
import { type DiscoveryContext, summary } from "./site-context";

const parser = unified().use(remarkParse).use(remarkGfm);

/** What is read of a node of the parsed text, whatever its kind. */
type MarkdownNode = {
  url?: string;
  position?: { start: { offset?: number | undefined }; end: { offset?: number | undefined } } | undefined;
  children?: MarkdownNode[];
};

/** A place in the text where an address stands that begins at the site's root. */
type Place = { start: number; end: number; url: string };

function placesOf({ url, position, children = [] }: MarkdownNode, text: string): Place[] {
  const inside = children.flatMap((child) => placesOf(child, text));
  const [from, to] = [position?.start.offset, position?.end.offset];
  if (url === undefined || !url.startsWith("/") || from === undefined || to === undefined) return inside;
  const start = text.lastIndexOf(url, to);
  return start < from ? inside : [...inside, { start, end: start + url.length, url }];
}

/** A rendered page's address as that of its markdown; anything else as it is. */
function toMarkdownPath(url: string): string {
  const [, page, anchor = ""] = /^\/docs(?:\/([a-z0-9/-]+))?(#.*)?$/.exec(url) ?? [];
  return url.startsWith("/docs") && !/\.\w+(#|$)/.test(url) ? `/docs/${page ?? "index"}.md${anchor}` : url;
}

const placesByPage = new WeakMap<Page, Place[]>();

/** Parsing costs, and pages do not change: once for each. */
function linksOf(page: Page): Place[] {
  const known = placesByPage.get(page);
  if (known) return known;
  const text = pageMarkdown(page);
  const places = placesOf(parser.parse(text), text).sort((a, b) => a.start - b.start);
  placesByPage.set(page, places);
  return places;
}

/**
 * A page's markdown with links that can be followed from anywhere: those that begin at the site's root get its origin,
 * and those to a page lead to its markdown. Code is left as it is.
 */
export function absoluteMarkdown(page: Page, origin: string): string {
  const text = pageMarkdown(page);
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, url } of linksOf(page)) {
    parts.push(text.slice(from, start), origin, toMarkdownPath(url));
    from = end;
  }
  return [...parts, text.slice(from)].join("");
}

type LlmsContext = DiscoveryContext & { catalogue: Catalogue };
type LlmsInput = DiscoveryContext & { pages: readonly Page[]; cassettes: readonly CassetteSummary[] };

/** Most cassettes that /llms.txt names; the listing has them all. */
const maxCassetteCount = 200;

/** Sections that a reader who is short of room leaves out. */
const optionalSections: ReadonlySet<string> = new Set(["Decisions"]);

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();

/** One entry of a file list: the form that parsers of both versions of the format read, whatever the name holds. */
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
    link("Cassettes", `${origin}/api/v1/cassettes`, "everything that this site can replay, as JSON."),
    link("Random replay", `${origin}/api/v1/replay/random`, "redirects to a stream of this site."),
    link("Search", `${origin}/api/v1/search?q=streaming`, "`q` over cassettes and pages."),
    link("MCP", `${origin}/api/mcp`, "tools over stateless Streamable HTTP; no key needed."),
    link("MCP with sessions", `${origin}/api/mcp/v2`, "the tools for vendors, and a stream of notifications."),
    link("OpenAPI 3.1", `${origin}/openapi.json`, "every HTTP endpoint."),
    link("Feed", `${origin}/api/v1/feed`, "what vendors changed in their llms.txt files."),
    link("Atom feed", `${origin}/feed.xml`, "the same changes for readers."),
    link("Vendors", `${origin}/api/v1/vendors`, "the vendors that are tracked."),
    link("Fleet", `${origin}/api/v1/fleet`, "the sibling sites, each with its own llms.txt."),
    link("Agents", `${origin}/.well-known/agents.json`, "these addresses for programs."),
    link("AI catalog", `${origin}/.well-known/ai-catalog.json`, "the MCP server's card and the documents, typed."),
  ];
}

function optionalLinks(pages: readonly Page[], origin: string): string[] {
  const whole = link("All pages in one file", `${origin}/llms-full.txt`, "the markdown of every page above and below.");
  return [whole, ...pageLinks(pages, origin)];
}

const details = (origin: string) =>
  `This file has the form of [llms.txt](https://llmstxt.org/), version 2, and covers every path of ${origin}. The pages are markdown. Their examples ask \`http://127.0.0.1:3000\`; here write \`${origin}\` instead. To see a stream: \`curl -NL ${origin}/api/v1/replay/random\``;

/** The text of /llms.txt: title, summary, details, then one list of links after another. */
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

/** The text of /llms-full.txt: every page's markdown in the navigation's order, each below its address. */
export function writeLlmsFullTxt({ origin, site, pages }: Omit<LlmsInput, "cassettes">): string {
  const head = `# ${site.display_name}\n\n> ${site.tagline} ${summary}\n\nEvery page of ${origin}/docs. [llms.txt](${origin}/llms.txt) is the short list.\n`;
  const texts = pages.map((page) => {
    const [title, ...rest] = absoluteMarkdown(page, origin).split("\n");
    return [title, "", `Source: ${origin}${pagePath(page)}`, ...rest].join("\n");
  });
  return [head, ...texts].join("\n---\n\n");
}

/** The site's cassettes; none where no store answers: the rest of the file is of use without them. */
async function cassettesIfAny(context: LlmsContext): Promise<CassetteSummary[]> {
  try {
    return await cassettesOfSite(context);
  } catch (error) {
    if (error instanceof AppError && error.code === "service_unavailable") return [];
    throw error;
  }
}

/** The site's /llms.txt. */
export async function getLlmsTxt(context: LlmsContext): Promise<string> {
  const { origin, site } = context;
  const [pages, cassettes] = await Promise.all([loadPages(), cassettesIfAny(context)]);
  return writeLlmsTxt({ origin, site, pages, cassettes });
}

/** The site's /llms-full.txt. */
export async function getLlmsFullTxt({ origin, site }: DiscoveryContext): Promise<string> {
  return writeLlmsFullTxt({ origin, site, pages: await loadPages() });
}
