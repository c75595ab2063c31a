import { expect, it } from "vitest";
import { anonymousCaller } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { deleteSession, findSession, openSession, subscribe } from "#lib/server/mcp-sessions/index";
import { createTestDatabase } from "#tests/support/database";

it("a session that has ended takes no subscription, also while it is still remembered", async () => {
  const { client: database, drop } = await createTestDatabase();
  try {
    const context = { database, clock: systemClock, caller: anonymousCaller, clientAddress: () => "192.0.2.1" };
    const session = await openSession(context, "2025-11-25");
    expect(await findSession(context, session.id)).toEqual(session);
    // As another process ends it.
    await database.mcpSession.deleteMany();
    await expect(subscribe(context, session, "vendors/quarry")).rejects.toMatchObject({ code: "not_found" });
    await deleteSession(database, session.id);
    expect(await findSession(context, session.id)).toBeNull();
  } finally {
    await drop();
  }
});
