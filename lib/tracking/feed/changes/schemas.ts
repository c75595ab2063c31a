import { z } from "zod";

export const jsonFeedSchema = z
  .object({
    version: z.literal("https://jsonfeed.org/version/1.1"),
    title: z.string(),
    description: z.string(),
    home_page_url: z.url(),
    feed_url: z.url(),
    authors: z.array(z.object({ name: z.string(), url: z.url() })),
    language: z.string(),
    items: z.array(
      z.object({
        id: z.string().meta({ description: "`urn:uuid:` and the id of the diff." }),
        url: z.url().meta({ description: "The change's page." }),
        external_url: z.url().meta({ description: "The vendor's file." }),
        title: z.string(),
        summary: z.string(),
        content_html: z.string().meta({ description: "The links that came and went; texts of vendors are escaped." }),
        tags: z.array(z.string()).meta({ description: "The vendor's category." }),
        date_published: z.iso.datetime(),
        date_modified: z.iso.datetime(),
        _tapedeck: z.object({ diff_url: z.url().meta({ description: "The change in the API." }) }),
      }),
    ),
  })
  .meta({ id: "JsonFeed", description: "JSON Feed 1.1." });
export type JsonFeed = z.infer<typeof jsonFeedSchema>;
