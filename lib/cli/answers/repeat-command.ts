import type { Command } from "commander";
import { childEnvironment } from "#lib/platform/config";
import { RecordError } from "#lib/replay/cassettes/index";
import { parseCount, parseHeader } from "../arguments";
import { CommandFailure, interrupted, misused } from "../failure";
import { withStopSignal } from "../stop-signal";
import { explainingTapes, openTapes, readTapeConfig } from "../tape-folders";
import { leftOutText, type RepeatedCalls, repeatRequests } from "./repeat-requests";

/** Most requests that are sent by default: each costs. */
const defaultLimit = 100;

export type RepeatFlags = { tapes?: string; limit: number; header: Record<string, string> };

/** Adds the options of commands that send recorded requests again. */
export function withRepeatOptions(command: Command): Command {
  return command
    .option("--tapes <dir>", "folder of the tapes (default: tapes, or that of tapedeck.config.json)")
    .option("--limit <number>", "most requests that are sent", parseCount, defaultLimit)
    .option("--header <name:value>", "a request header, such as of a beta feature; repeatable", parseHeader, {});
}

/** Sends the requests of the named tapes again, with another model if one is given. Throws CommandFailure. */
export async function repeatNamed(
  names: readonly string[],
  { tapes, limit, header }: RepeatFlags,
  model?: string,
): Promise<RepeatedCalls> {
  const stopped = new AbortController();
  try {
    const found = await explainingTapes(async () => {
      const config = await readTapeConfig(tapes);
      const opened = await openTapes(names, config.tapes);
      return withStopSignal((signal) => {
        signal.addEventListener("abort", () => stopped.abort());
        const again = { config, environment: childEnvironment(), headers: header, model, signal };
        return repeatRequests(opened, again, { limit });
      });
    });
    if (found.calls.length > 0) return found;
    const reasons = found.leftOut.map(leftOutText);
    throw new CommandFailure(`No request can be sent. Left out: ${reasons.join("; ") || "none"}.`, misused);
  } catch (error) {
    if (stopped.signal.aborted) throw new CommandFailure("Interrupted.", interrupted);
    throw error instanceof RecordError ? new CommandFailure(error.message, misused) : error;
  }
}
