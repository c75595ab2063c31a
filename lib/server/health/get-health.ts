import type { Clock } from "#lib/platform/clock";
import { pingDatabase } from "#lib/platform/database/index";
import { existingSingleton } from "#lib/platform/process-singleton";
import { version } from "#lib/platform/version";
import type { Health } from "./endpoints";

/** Whether all endpoints can be served: the database answers, and the server has not begun to stop. */
export function isReady({ db_connected: isConnected }: Health): boolean {
  return isConnected && !existingSingleton<boolean>("is-stopping");
}

/** Returns the health of the service. The status is `ok` without a database too, since replay needs none. */
export async function getHealth({ clock }: { clock: Clock }): Promise<Health> {
  return { status: "ok", version, timestamp: clock.now().toISOString(), db_connected: await pingDatabase() };
}
