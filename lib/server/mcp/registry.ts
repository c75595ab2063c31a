import { type ContractTier, planTools } from "#lib/accounts/plans/index";
import type { Tool } from "#lib/contract/tool";
import { contentTools, type GuideToolContext } from "#lib/discovery/content/index";
import { type SearchContext, searchTools } from "#lib/discovery/search/index";
import type { Log } from "#lib/platform/log";
import { type ReplayToolContext, replayTools } from "#lib/replay/playback/index";
import type { SessionContext } from "#lib/server/mcp-sessions/index";
import { type DiffToolContext, diffTools } from "#lib/tracking/diffs/index";
import { type FeedContext, feedTools } from "#lib/tracking/feed/index";
import { type IntelligenceToolContext, intelligenceTools } from "#lib/tracking/intelligence/index";
import { type SnapshotToolContext, snapshotTools } from "#lib/tracking/snapshots/index";
import { type VendorToolContext, vendorTools } from "#lib/tracking/vendors/index";
import { type WebhookToolContext, webhookTools } from "#lib/tracking/webhooks/index";
import type { McpRoute } from "./server/exchange";

type DomainContexts = DiffToolContext & FeedContext & GuideToolContext & IntelligenceToolContext & ReplayToolContext;
type MoreContexts = SearchContext & SessionContext & SnapshotToolContext & VendorToolContext & WebhookToolContext;

/** What every tool, resource and prompt gets: the context of the HTTP verbs that they share. */
export type ToolContext = DomainContexts & MoreContexts & { log: Log };

/** A tool and the lowest tier that the stateless endpoint lists it to. */
export type ListedTool = { tool: Tool<ToolContext>; tier: ContractTier };

function at(tier: ContractTier, ...lists: readonly (readonly unknown[])[]): ListedTool[] {
  return (lists.flat() as Tool<ToolContext>[]).map((tool) => ({ tool, tier }));
}

/** Every tool, in the order in which the stateless endpoint lists them. */
export const registry: readonly ListedTool[] = [
  ...at("free", replayTools, searchTools, vendorTools, planTools, contentTools),
  ...at("starter", snapshotTools, feedTools, diffTools, intelligenceTools),
  ...at("pro", webhookTools),
];

/** The eight tools of the endpoint with sessions, by contract and in its order. */
const sessionToolNames = [
  "list_vendors",
  "get_vendor_content",
  "search_vendors",
  "get_feed",
  "get_stats",
  "get_pricing",
  "get_diff_summary",
  "get_guide",
];

const sessionTools = sessionToolNames.flatMap((name) => registry.filter(({ tool }) => tool.name === name));

const tiers: readonly ContractTier[] = ["free", "starter", "pro"];

/** The tools that an endpoint lists to a tier. */
export function listTools(route: McpRoute, tier: ContractTier): readonly ListedTool[] {
  if (route === "sessions") return sessionTools;
  return registry.filter((listed) => tiers.indexOf(listed.tier) <= tiers.indexOf(tier));
}
