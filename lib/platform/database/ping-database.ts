import { setTimeout as delay } from "node:timers/promises";
import { processSingleton } from "#lib/platform/process-singleton";
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
  const abort = new AbortController();
  const deadline = delay(pingTimeoutMs, false, { signal: abort.signal, ref: false }).catch(() => false);
  try {
    return await Promise.race([ping.current, deadline]);
  } finally {
    abort.abort();
  }
}
