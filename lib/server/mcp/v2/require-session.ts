import { AppError } from "#lib/platform/errors";
import { findSession, type Session } from "#lib/server/mcp-sessions/index";
import type { ToolContext } from "../registry";

/** The caller's session that a request names. Throws AppError bad_request without a name, not_found without a session. */
export async function requireSession(context: ToolContext, id: string | null): Promise<Session> {
  if (id === null) {
    throw new AppError(
      "bad_request",
      "This needs the header Mcp-Session-Id. Open a session with initialize, or use /api/mcp, which needs none.",
    );
  }
  const session = await findSession(context, id);
  if (session) return session;
  throw new AppError("not_found", "There is no such session, or it has ended. Open another one with initialize.");
}
