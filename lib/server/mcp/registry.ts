import type { ContractTier } from "#lib/accounts/plans/index";
import type { Tool } from "#lib/contract/tool";
import type { McpRoute } from "./mcp-request";
import type { ToolContext } from "./tool-context";

/** A tool and the lowest tier to which the stateless endpoint lists it. */
export type ListedTool = { tool: Tool<ToolContext>; tier: ContractTier };

/** Tools that are loaded together, by the first request that needs one of them. */
type Group = { tier: ContractTier; names: readonly string[]; load: () => Promise<readonly ListedTool[]> };

function group(tier: ContractTier, names: readonly string[], load: () => Promise<readonly unknown[]>): Group {
  let listed: readonly ListedTool[] | undefined;
  return {
    tier,
    names,
    load: async () => {
      listed ??= ((await load()) as Tool<ToolContext>[]).map((tool) => ({ tool, tier }));
      return listed;
    },
  };
}

/** Every tool, in the order of the stateless endpoint's list. */
const groups: readonly Group[] = [
  group("free", ["list_cassettes", "get_cassette", "replay_cassette", "random_replay"], async () => {
    return (await import("#lib/replay/playback/index")).replayTools;
  }),
  group("free", ["search"], async () => (await import("#lib/discovery/search/index")).searchTools),
  group("free", ["list_vendors", "search_vendors", "get_stats"], async () => {
    return (await import("#lib/tracking/vendors/index")).vendorTools;
  }),
  group("free", ["get_pricing"], async () => (await import("#lib/accounts/plans/index")).planTools),
  group("free", ["get_guide"], async () => (await import("#lib/discovery/content/index")).contentTools),
  group("starter", ["get_vendor_content"], async () => (await import("#lib/tracking/snapshots/index")).snapshotTools),
  group("starter", ["get_feed"], async () => (await import("#lib/tracking/feed/index")).feedTools),
  group("starter", ["get_diff_summary"], async () => (await import("#lib/tracking/diffs/index")).diffTools),
  group("starter", ["list_snapshots", "compare_snapshots"], async () => {
    return (await import("#lib/tracking/history/index")).historyTools;
  }),
  group("starter", ["list_reports", "report_change", "score_text"], async () => {
    return (await import("#lib/tracking/intelligence/index")).intelligenceTools;
  }),
  group("starter", ["list_models", "get_model"], async () => (await import("#lib/models/index")).modelTools),
  group("pro", ["add_vendor", "rename_vendor", "remove_vendor"], async () => {
    return (await import("#lib/tracking/vendors/index")).customVendorTools;
  }),
  group("pro", ["list_webhooks", "create_webhook", "update_webhook", "delete_webhook"], async () => {
    return (await import("#lib/tracking/webhooks/index")).webhookTools;
  }),
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

const tiers: readonly ContractTier[] = ["free", "starter", "pro"];

async function load(wanted: readonly Group[]): Promise<ListedTool[]> {
  return (await Promise.all(wanted.map((each) => each.load()))).flat();
}

/** Whether every caller has a tool at the endpoint with sessions. */
export const isSessionTool = (name: string): boolean => sessionToolNames.includes(name);

/** Returns the tools that an endpoint lists to a tier. */
export async function listTools(route: McpRoute, tier: ContractTier): Promise<readonly ListedTool[]> {
  if (route === "stateless") return load(groups.filter((group) => tiers.indexOf(group.tier) <= tiers.indexOf(tier)));
  const loaded = await load(groups.filter(({ names }) => names.some(isSessionTool)));
  return sessionToolNames.flatMap((name) => loaded.filter(({ tool }) => tool.name === name));
}

/** Returns the tool with this name, even if only a higher tier or the other endpoint lists it; none for an unknown name. */
export async function findTool(name: unknown): Promise<readonly ListedTool[]> {
  if (typeof name !== "string") return [];
  const loaded = await load(groups.filter(({ names }) => names.includes(name)));
  return loaded.filter(({ tool }) => tool.name === name);
}
