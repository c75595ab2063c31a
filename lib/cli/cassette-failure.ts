import { ImportError } from "#lib/replay/cassettes/import/index";
import { CassetteError, WriteError } from "#lib/replay/cassettes/index";
import { RecordError, RequestError } from "#lib/replay/cassettes/recorder/index";
import { CommandFailure, failed, misused } from "./failure";

/** Exit code of a command that Ctrl-C ended, as shells have it. */
const interrupted = 130;

/** Problems that come from the provider or the network, where keeping what came is a choice. */
const keepable = new Set(["provider", "stream-error", "cut"]);

function explainRecordError(error: RecordError): string {
  const hint = keepable.has(error.kind) ? " With --allow-error the answer is kept as it is." : "";
  return `${error.message} Nothing was written.${hint}`;
}

/** Turns what the cassette verbs throw into one line and an exit code; anything else is a bug and stays what it is. */
export function toCommandFailure(error: unknown): unknown {
  if (error instanceof RequestError) return new CommandFailure(`Cannot send this: ${error.message}.`, misused);
  if (error instanceof RecordError) {
    return new CommandFailure(explainRecordError(error), error.kind === "interrupted" ? interrupted : failed);
  }
  if (error instanceof ImportError) return new CommandFailure(`${error.message}. Nothing was written.`);
  if (error instanceof WriteError || error instanceof CassetteError) return new CommandFailure(error.message);
  return error;
}
