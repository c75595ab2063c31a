import { type DiscoveryContext, summary } from "./context";
import { type AgentsJson, agentsJsonSchema } from "./schemas";

/** The site's /.well-known/agents.json: what an agent can do here, and where. */
export function agentsJson({ origin, site }: DiscoveryContext): AgentsJson {
  return agentsJsonSchema.parse({
    name: site.display_name,
    description: `${site.tagline} ${summary}`,
    url: origin,
    vertical: site.vertical,
    auth: "none",
    documentation: `${origin}/docs`,
    llms_txt: `${origin}/llms.txt`,
    llms_full_txt: `${origin}/llms-full.txt`,
    openapi: `${origin}/openapi.json`,
    ai_catalog: `${origin}/.well-known/ai-catalog.json`,
    server_card: `${origin}/.well-known/mcp/server-card.json`,
    mcp: { url: `${origin}/api/mcp`, transport: "streamable-http", sessions: false },
    mcp_v2: { url: `${origin}/api/mcp/v2`, transport: "streamable-http", sessions: true },
    endpoints: {
      health: `${origin}/api/v1/health`,
      cassettes: `${origin}/api/v1/cassettes`,
      replay: `${origin}/api/v1/replay`,
      replay_random: `${origin}/api/v1/replay/random`,
      messages: `${origin}/v1/messages`,
      search: `${origin}/api/v1/search?q={q}`,
      fleet: `${origin}/api/v1/fleet`,
      feed: `${origin}/api/v1/feed`,
      vendors: `${origin}/api/v1/vendors`,
      vendor_search: `${origin}/api/v1/vendors/search?q={q}`,
      stats: `${origin}/api/v1/stats`,
      pricing: `${origin}/api/v1/pricing`,
    },
  });
}
