import type { JsonFeed } from "../schemas";
import { type ChangeFeedContext, type DescribedChange, readSiteChanges } from "./read-changes";

function toItem({
  id,
  title,
  url,
  fileUrl,
  diffUrl,
  summary,
  html,
  category,
  at,
}: DescribedChange): JsonFeed["items"][number] {
  return {
    ...{ id, url, external_url: fileUrl, title, summary, content_html: html, tags: [category] },
    ...{ date_published: at.toISOString(), date_modified: at.toISOString() },
    _tapedeck: { diff_url: diffUrl },
  };
}

/** Returns the newest changes of all public vendors as JSON Feed 1.1, and the time of the newest one, or null. */
export async function getJsonFeed(context: ChangeFeedContext): Promise<{ feed: JsonFeed; changedAt: Date | null }> {
  const { title, subtitle, url, homeUrl, author, changedAt, changes } = await readSiteChanges(context, "/feed.json");
  const feed: JsonFeed = {
    version: "https://jsonfeed.org/version/1.1",
    ...{ title, description: subtitle, home_page_url: homeUrl, feed_url: url },
    authors: [{ name: author, url: homeUrl }],
    language: "en",
    items: changes.map(toItem),
  };
  return { feed, changedAt };
}
