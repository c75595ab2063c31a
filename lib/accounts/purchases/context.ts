import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import type { Log } from "#lib/platform/log";

/** What the verbs of a purchase need. */
export type PurchaseContext = { database: Database; clock: Clock; ids: Ids; log: Log };
