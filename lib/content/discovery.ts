import type { Site } from "#lib/sites/index";
import type { Page } from "./load-pages";

type DiscoveryContext = { origin: string; site: Site; pages: readonly Page[] };

export function rawPageUrl(origin: string, { slug }: Page): string {
  return `${origin}/docs/${slug || "index"}.md`;
}

/** The site's /llms.txt: what it is, its pages as markdown, and its interfaces. */
export function llmsTxt({ origin, site, pages }: DiscoveryContext): string {
  const docs = pages.map((page) => `- [${page.title}](${rawPageUrl(origin, page)}): ${page.description}`);
  return `# ${site.display_name}

> ${site.tagline} Replays recorded model responses over SSE, byte for byte and with the recorded timing: no API key, no tokens. Tracks vendors' llms.txt files: every version, and what changed.

Stream one: \`curl -N ${origin}/api/v1/replay/random -L\`

## Docs

${docs.join("\n")}

## Interfaces

- [OpenAPI 3.1](${origin}/openapi.json): every HTTP endpoint.
- [Cassettes](${origin}/api/v1/cassettes): what this site can replay.
- [Fleet](${origin}/api/v1/fleet): the sibling sites.
- [Feed](${origin}/api/v1/feed): what vendors changed in their llms.txt files; also [Atom](${origin}/feed.xml) and [JSON Feed](${origin}/feed.json).
- [Vendors](${origin}/api/v1/vendors): the vendors that are tracked.
- [MCP](${origin}/api/mcp): tools for agents, over Streamable HTTP.
- [Agents](${origin}/.well-known/agents.json): this list for programs.
`;
}

/** The site's /.well-known/agents.json: what an agent can do here, and where. */
export function agentsJson({ origin, site }: Omit<DiscoveryContext, "pages">) {
  return {
    name: site.display_name,
    description: `${site.tagline} Replays recorded model responses over SSE; no key is needed and no tokens are spent. Tracks what vendors change in their llms.txt files.`,
    url: origin,
    vertical: site.vertical,
    auth: "none",
    documentation: `${origin}/docs`,
    llms_txt: `${origin}/llms.txt`,
    openapi: `${origin}/openapi.json`,
    mcp: { url: `${origin}/api/mcp`, transport: "streamable-http" },
    endpoints: {
      health: `${origin}/api/v1/health`,
      cassettes: `${origin}/api/v1/cassettes`,
      replay: `${origin}/api/v1/replay`,
      replay_random: `${origin}/api/v1/replay/random`,
      messages: `${origin}/v1/messages`,
      fleet: `${origin}/api/v1/fleet`,
      feed: `${origin}/api/v1/feed`,
      vendors: `${origin}/api/v1/vendors`,
      vendor_search: `${origin}/api/v1/vendors/search`,
      stats: `${origin}/api/v1/stats`,
    },
  };
}
