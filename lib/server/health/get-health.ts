import type { Clock } from "#lib/platform/clock";
import { pingDatabase } from "#lib/platform/database/index";
import { version } from "#lib/platform/version";
import type { Health } from "./endpoints";

/** Returns the health of the service. The status is `ok` without a database too, since replay needs none. */
export async function getHealth({ clock }: { clock: Clock }): Promise<Health> {
  return { status: "ok", version, timestamp: clock.now().toISOString(), db_connected: await pingDatabase() };
}
