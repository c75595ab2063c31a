import * as z from "zod";
import { pageText } from "#lib/contract/text-page";
import { defineTool, maxResultLength, reads } from "#lib/contract/tool";
import { AppError } from "#lib/platform/errors";
import { findSimilar } from "#lib/platform/similar-texts";
import { loadPages, type Page, pageMarkdown, pagePath } from "./pages";
import { renderPage } from "./render-page";

/** Most suggestions for an unknown guide. */
const maxSuggestionCount = 3;

/** Returns the name of a guide: its slug, or `index` for the overview. */
function guideName({ slug }: Pick<Page, "slug">): string {
  return slug || "index";
}

/** Returns the guide name for a name, path or URL. */
function normalise(name: string): string {
  const slug = name
    .trim()
    .toLowerCase()
    .replace(/^(?:.*\/)?docs(?:\/|$)/, "")
    .replace(/[?#].*$/, "")
    .replace(/\.md$/, "");
  return slug || "index";
}

async function findGuide(name: string): Promise<Page> {
  const pages = await loadPages();
  const page = pages.find((candidate) => guideName(candidate) === normalise(name));
  if (page) return page;
  const similar = findSimilar(pages, name, {
    textsOf: ({ slug, title }) => [slug, title],
    limit: maxSuggestionCount,
  }).map(guideName);
  const hint = similar.length > 0 ? ` Similar names: ${similar.join(", ")}.` : "";
  throw new AppError("not_found", `There is no guide ${name}.${hint} Call get_guide without arguments for the list.`);
}

type GuideInput = {
  guide: string;
  /** Where to continue; null for the first page. */
  cursor: string | null;
  /** Most characters of a page. */
  maxLength: number;
};

/** Returns a page with only the section that an anchor names; undefined if there is none. */
async function findSection(page: Page, anchor: string): Promise<Page | undefined> {
  const { headings } = await renderPage(page);
  const at = headings.findIndex(({ id }) => id === anchor);
  const heading = headings[at];
  if (!heading) return undefined;
  const next = headings.find(({ depth }, index) => index > at && depth <= heading.depth);
  return { ...page, markdown: page.markdown.split("\n").slice(heading.line, next?.line).join("\n") };
}

/** Returns one page of a guide, or of the section after a "#". Throws AppError not_found with similar names, and invalid_cursor. */
export async function readGuide({ origin }: { origin: string }, { guide, cursor, maxLength }: GuideInput) {
  const page = await findGuide(guide);
  const [, anchor = ""] = /#(.+)$/.exec(guide.trim()) ?? [];
  const section = anchor && (await findSection(page, anchor));
  const { text, nextCursor } = pageText(pageMarkdown(section || page, { origin }), { cursor, maxLength });
  const url = `${origin}${pagePath(page)}${section ? `#${anchor}` : ""}`;
  return { guide: guideName(page), title: page.title, url, markdown: text, next_cursor: nextCursor };
}

export type GuideToolContext = { origin: string };

const guideSchema = z.object({ guide: z.string(), title: z.string(), description: z.string(), section: z.string() });

function describe(page: Page) {
  const { title, description, section } = page;
  return { guide: guideName(page), title, description, section };
}

const getGuideTool = defineTool({
  name: "get_guide",
  title: "Get a guide",
  description:
    'Returns the documentation of this service. Without arguments: the list of guides. With {"guide": "webhooks"}: that guide as markdown; if next_cursor is not null, pass it as "cursor" to get the next page. To search all guides and cassettes, use search.',
  annotations: reads,
  input: z.strictObject({
    guide: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("Name of a guide from the list, such as replay; or of one section: webhooks#filters."),
    cursor: z.string().min(1).max(200).optional().describe("next_cursor of the previous page."),
  }),
  output: z.object({
    guides: z.array(guideSchema).optional().describe("All guides; only without arguments."),
    guide: z.string().optional(),
    title: z.string().optional(),
    url: z.string().optional().describe("URL of the rendered page."),
    markdown: z.string().optional().describe("The guide, or one page of it."),
    next_cursor: z.string().nullable().optional().describe("Null on the last page."),
  }),
  async run(context: GuideToolContext, { guide, cursor = null }) {
    if (guide !== undefined) return readGuide(context, { guide, cursor, maxLength: maxResultLength });
    if (cursor === null) return { guides: (await loadPages()).map(describe) };
    throw new AppError("bad_request", 'A cursor requires its guide: send {"guide": …, "cursor": …}.');
  },
});

export const contentTools = [getGuideTool];
