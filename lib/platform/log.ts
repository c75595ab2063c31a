import { type Logger, pino } from "pino";
import { config } from "./config";
import { processSingleton } from "./process-singleton";

export type Log = Logger;

/** Returns the log of this process: JSON lines on standard output. Headers, bodies and queries are never logged. */
export function log(): Log {
  return processSingleton("log", () => pino({ level: config().LOG_LEVEL, base: undefined }));
}
