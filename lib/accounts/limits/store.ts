import { type Config, config } from "#lib/platform/config";
import { type Database, database } from "#lib/platform/database/index";
import { log } from "#lib/platform/log";
import { processSingleton } from "#lib/platform/process-singleton";
import { databaseStore, deleteWindows } from "./stores/database-store";
import { redisStore } from "./stores/redis-store";
import type { LimitStore } from "./stores/store";

/** The store that the configuration chooses; undefined where neither Redis nor a database is configured. */
export function configuredLimitStore(settings: Config, client: Database | undefined): LimitStore | undefined {
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = settings;
  if (url && token) return redisStore({ url, token });
  return client && databaseStore(client);
}

function openStore(): { store: LimitStore | undefined } {
  const settings = config();
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = settings;
  if (Boolean(url) !== Boolean(token)) {
    log().warn("of UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN only one is set; Redis is not used");
  }
  const store = configuredLimitStore(settings, database());
  if (!store) log().warn("neither Redis nor a database is configured; requests are not counted");
  return { store };
}

/** The process's store. */
export function limitStore(): LimitStore | undefined {
  return processSingleton("limit-store", openStore).store;
}

/** Most windows that one call removes. */
const pruneLimit = 10_000;

/** Removes windows that ended before a date's day, ten thousand at most; gives how many it removed. */
export async function pruneLimitWindows(
  { database: client }: { database: Database },
  { before, limit = pruneLimit }: { before: Date; limit?: number },
): Promise<number> {
  return deleteWindows(client, before, limit);
}
