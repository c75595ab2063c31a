/** What a notification is about: one vendor's file, or the list of MCP tools. */
export type Topic = `vendors/${string}` | "tools";

export const toolsTopic = "tools";

export function vendorTopic(slug: string): Topic {
  return `vendors/${slug}`;
}
