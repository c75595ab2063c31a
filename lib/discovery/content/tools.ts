import { z } from "zod";
import { defineTool, maxResultLength, reads } from "#lib/contract/tool";
import { AppError } from "#lib/platform/errors";
import { loadPages, type Page } from "./pages";
import { guideName, readGuide } from "./read-guide";

export type GuideToolContext = { origin: string };

const guideSchema = z.object({
  guide: z.string(),
  title: z.string(),
  description: z.string(),
  section: z.string(),
});

function describe(page: Page) {
  const { title, description, section } = page;
  return { guide: guideName(page), title, description, section };
}

const getGuideTool = defineTool({
  name: "get_guide",
  title: "Get a guide",
  description:
    'Gives this service\'s own documentation. Without arguments: the list of guides. {"guide": "webhooks"}: that guide as markdown; where next_cursor is not null, call again with it as "cursor" for the next part. Use it to learn how an endpoint, a format or a limit works. For words in all guides and recordings use search.',
  annotations: reads,
  input: z.object({
    guide: z.string().min(1).max(200).optional().describe("Name of a guide from the list, such as replay."),
    cursor: z.string().min(1).max(200).optional().describe("next_cursor of the part before."),
  }),
  output: z.object({
    guides: z.array(guideSchema).optional().describe("All guides; only without arguments."),
    guide: z.string().optional(),
    title: z.string().optional(),
    url: z.string().optional().describe("The rendered page."),
    markdown: z.string().optional().describe("The guide, or a part of it."),
    next_cursor: z.string().nullable().optional().describe("Null at the end."),
  }),
  async run(context: GuideToolContext, { guide, cursor = null }) {
    if (guide !== undefined) return readGuide(context, { guide, cursor, maxLength: maxResultLength });
    if (cursor === null) return { guides: (await loadPages()).map(describe) };
    throw new AppError("bad_request", 'A cursor goes with its guide: send {"guide": …, "cursor": …}.');
  },
});

export const contentTools = [getGuideTool];
