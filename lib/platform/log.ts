import { type Logger, pino } from "pino";
import { config } from "./config";
import { logText } from "./log-text";
import { processSingleton } from "./process-singleton";

export type Log = Logger;

let stream: NodeJS.WriteStream & { fd: number } = process.stdout;

/** Makes the log go to standard error: of a command, whose output is its result. */
export function logToStandardError(): void {
  stream = process.stderr;
}

function openLog(): Log {
  const { LOG_LEVEL: level, LOG_FORMAT: format, NO_COLOR } = config();
  const { isTTY, fd } = stream;
  if (format === "json" || (format === undefined && !isTTY))
    return pino({ level, base: undefined }, pino.destination(fd));
  const hasColor = isTTY === true && !NO_COLOR;
  return pino({ level, base: undefined }, { write: (line) => stream.write(logText(line, { hasColor })) });
}

/**
 * Returns the log of this process on its standard output: JSON lines, or text on a terminal. Headers, bodies and queries are
 * never logged.
 */
export function log(): Log {
  return processSingleton("log", openLog);
}
