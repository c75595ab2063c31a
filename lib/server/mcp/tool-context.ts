import type { CallContext } from "#lib/accounts/keys/index";
import type { GuideToolContext } from "#lib/discovery/content/index";
import type { SearchContext } from "#lib/discovery/search/index";
import type { Context } from "#lib/platform/context";
import type { ReplayToolContext } from "#lib/replay/playback/index";
import type { SessionContext } from "#lib/server/mcp-sessions/index";

type DomainContexts = CallContext & GuideToolContext & ReplayToolContext & SearchContext & SessionContext;

/** The context of every tool, resource and prompt: that of the HTTP verbs whose code they share. */
export type ToolContext = Context & DomainContexts & { origin: string };
