import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import type { Log } from "#lib/platform/log";
import { hourMs } from "#lib/platform/time";
import type { ModelProvider, ModelSettings } from "../provider";
import type { BatchEndpoint } from "./batch-api";

/** What handing in and collecting batches takes. */
export type BatchContext = {
  database: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  settings: ModelSettings;
  provider: ModelProvider;
  endpoint: BatchEndpoint;
  signal: AbortSignal;
};

/** How long the answers of a batch are waited for; then the rules write. */
export const batchWaitMs = 24 * hourMs;
