import { processSingleton } from "#lib/platform/process-singleton";
import { withTimeout } from "#lib/platform/with-timeout";
import { type Database, database } from "./client";

const pingTimeoutMs = 1_000;

/** One question under way at most, however many clients ask for `health` while the database hangs. */
type Pings = { current?: Promise<boolean> | undefined };

/** Does the database answer within a second? False where none is configured; never throws. */
export async function pingDatabase(client: Database | undefined = database()): Promise<boolean> {
  if (!client) return false;
  const pings = processSingleton<WeakMap<Database, Pings>>("database-pings", () => new WeakMap());
  const ping = pings.get(client) ?? {};
  pings.set(client, ping);
  ping.current ??= client.$queryRaw`SELECT 1`
    .then(
      () => true,
      () => false,
    )
    .finally(() => {
      ping.current = undefined;
    });
  const { current } = ping;
  return withTimeout(pingTimeoutMs, () => current).catch(() => false);
}
