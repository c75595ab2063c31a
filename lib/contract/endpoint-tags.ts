/** What the document and the docs group endpoints by, in the words of the document. */
export const endpointTags = {
  Replay: "Recorded model responses, streamed as they came.",
  "Drop-in": "The provider's own protocol, answered from cassettes.",
  Fleet: "The family of sites.",
  Vendors: "What vendors publish for agents in their llms.txt files, and what changed there.",
  Webhooks: "Who is told of changes of high significance, and what became of it.",
  "Keys and billing": "API keys, and what the tiers cost and include.",
  MCP: "The Model Context Protocol, for agents.",
  Operations: "Whether the service and its jobs run.",
  Discovery: "Machine-readable descriptions of the service.",
} as const;

export type EndpointTag = keyof typeof endpointTags;

/** A tag's name in addresses: `keys-and-billing`. */
export function tagSlug(tag: EndpointTag): string {
  return tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}

/** Whether a tag goes by that name in addresses. */
export function isTagSlug(slug: string): boolean {
  return (Object.keys(endpointTags) as EndpointTag[]).some((tag) => tagSlug(tag) === slug);
}
