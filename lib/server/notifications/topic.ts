/** The subject of a notification: the file of one vendor, or the list of MCP tools. */
export type Topic = `vendors/${string}` | "tools";

export const toolsTopic = "tools";

export function vendorTopic(slug: string): Topic {
  return `vendors/${slug}`;
}
