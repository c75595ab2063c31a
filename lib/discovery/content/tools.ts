import { z } from "zod";
import { defineTool, maxResultLength, reads } from "#lib/contract/tool";
import { AppError } from "#lib/platform/errors";
import { loadPages, type Page } from "./pages";
import { guideName, readGuide } from "./read-guide";

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
    'Returns the documentation of this service. Without arguments: the list of guides. With {"guide": "webhooks"}: that guide as markdown; if next_cursor is not null, pass it as "cursor" to get the next page. Use it to learn how an endpoint, a format or a limit works. To search all guides and cassettes, use search.',
  annotations: reads,
  input: z.strictObject({
    guide: z.string().min(1).max(200).optional().describe("Name of a guide from the list, such as replay."),
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
