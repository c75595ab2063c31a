import type { GuideToolContext } from "#lib/discovery/content/index";
import type { SearchContext } from "#lib/discovery/search/index";
import type { Log } from "#lib/platform/log";
import type { ReplayToolContext } from "#lib/replay/playback/index";
import type { SessionContext } from "#lib/server/mcp-sessions/index";
import type { DiffToolContext } from "#lib/tracking/diffs/index";
import type { FeedContext } from "#lib/tracking/feed/index";
import type { IntelligenceToolContext } from "#lib/tracking/intelligence/index";
import type { SnapshotToolContext } from "#lib/tracking/snapshots/index";
import type { CustomVendorContext, VendorToolContext } from "#lib/tracking/vendors/index";
import type { WebhookToolContext } from "#lib/tracking/webhooks/index";

type DomainContexts = DiffToolContext & FeedContext & GuideToolContext & IntelligenceToolContext & ReplayToolContext;
type MoreContexts = CustomVendorContext &
  SearchContext &
  SessionContext &
  SnapshotToolContext &
  VendorToolContext &
  WebhookToolContext;

/** The context of every tool, resource and prompt: that of the HTTP verbs whose code they share. */
export type ToolContext = DomainContexts & MoreContexts & { log: Log; origin: string };
