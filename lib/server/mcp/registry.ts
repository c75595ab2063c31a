import { type ContractTier, planTools } from "#lib/accounts/plans/index";
import type { Tool } from "#lib/contract/tool";
import { contentTools } from "#lib/discovery/content/index";
import { searchTools } from "#lib/discovery/search/index";
import { replayTools } from "#lib/replay/playback/index";
import { diffTools } from "#lib/tracking/diffs/index";
import { feedTools } from "#lib/tracking/feed/index";
import { historyTools } from "#lib/tracking/history/index";
import { intelligenceTools } from "#lib/tracking/intelligence/index";
import { snapshotTools } from "#lib/tracking/snapshots/index";
import { customVendorTools, vendorTools } from "#lib/tracking/vendors/index";
import { webhookTools } from "#lib/tracking/webhooks/index";
import type { McpRoute } from "./mcp-request";
import type { ToolContext } from "./tool-context";

/** A tool and the lowest tier to which the stateless endpoint lists it. */
export type ListedTool = { tool: Tool<ToolContext>; tier: ContractTier };

function at(tier: ContractTier, ...lists: readonly (readonly unknown[])[]): ListedTool[] {
  return (lists.flat() as Tool<ToolContext>[]).map((tool) => ({ tool, tier }));
}

/** Every tool, in the order of the stateless endpoint's list. */
export const registry: readonly ListedTool[] = [
  ...at("free", replayTools, searchTools, vendorTools, planTools, contentTools),
  ...at("starter", snapshotTools, feedTools, diffTools, historyTools, intelligenceTools),
  ...at("pro", customVendorTools, webhookTools),
];

/** The eight tools of the endpoint with sessions, in the order of the contract. */
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

/** Returns the tools that an endpoint lists to a tier. */
export function listTools(route: McpRoute, tier: ContractTier): readonly ListedTool[] {
  if (route === "sessions") return sessionTools;
  return registry.filter((listed) => tiers.indexOf(listed.tier) <= tiers.indexOf(tier));
}
