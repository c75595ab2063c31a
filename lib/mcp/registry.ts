import { billingTools, type ContractTier } from "#lib/billing/index";
import { contentTools, type GuideToolContext } from "#lib/content/index";
import { type DiffToolContext, diffTools } from "#lib/diffs/index";
import { type FeedContext, feedTools } from "#lib/feed/index";
import { type IntelligenceToolContext, intelligenceTools } from "#lib/intelligence/index";
import type { Log } from "#lib/platform/log";
import { type ReplayToolContext, replayTools } from "#lib/replay/index";
import { type SearchContext, searchTools } from "#lib/search/index";
import type { SessionContext } from "#lib/sessions/index";
import { type SnapshotToolContext, snapshotTools } from "#lib/snapshots/index";
import { type VendorToolContext, vendorTools } from "#lib/vendors/index";
import { type WebhookToolContext, webhookTools } from "#lib/webhooks/index";
import type { McpRoute } from "./server/exchange";
import type { Tool } from "./tool";

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
  ...at("free", replayTools, searchTools, vendorTools, billingTools, contentTools),
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
