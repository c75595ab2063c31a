import { type Logger, pino } from "pino";
import { config } from "./config";
import { logText } from "./log-text";
import { processSingleton } from "./process-singleton";

export type Log = Logger;

function openLog(): Log {
  const { LOG_LEVEL: level, LOG_FORMAT: format, NO_COLOR } = config();
  const { stdout } = process;
  if (format === "json" || (format === undefined && !stdout.isTTY)) return pino({ level, base: undefined });
  const hasColor = stdout.isTTY === true && !NO_COLOR;
  return pino({ level, base: undefined }, { write: (line) => stdout.write(logText(line, { hasColor })) });
}

/**
 * Returns the log of this process on standard output: JSON lines, or text on a terminal. Headers, bodies and queries are
 * never logged.
 */
export function log(): Log {
  return processSingleton("log", openLog);
}
