import { type Capture, ImportError, parseJson } from "#lib/replay/cassettes/index";
import type { SourceExchange } from "./source-exchange";

/**
 * Refuses a file of aimock, whose fixtures have no whole requests: its recorder keeps the last user message, the model and the
 * number of the turn, and its journal keeps requests translated to one format. Throws ImportError.
 */
export function readAimock(capture: Capture): SourceExchange[] {
  const { fixtures } = (parseJson(capture) ?? {}) as { fixtures?: unknown };
  if (!Array.isArray(fixtures))
    throw new ImportError(capture.file, "is not an aimock fixture file: it has no list of fixtures");
  throw new ImportError(
    capture.file,
    `its fixtures (${fixtures.length}) cannot become recordings: of a request, aimock keeps the last user message and the model, but not the system prompt, the history and the tools. Record these tests again: tapedeck run -- <command>`,
  );
}
