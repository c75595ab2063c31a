import { existsSync } from "node:fs";
import {
  CassetteError,
  cassetteIdSchema,
  readStoredCassette,
  type VerifiedCassette,
} from "#lib/replay/cassettes/index";
import { CommandFailure, misused } from "./failure";

/**
 * Reads and verifies one cassette, given as a file's path or as `<vertical>/<slug>` in the configured store.
 * Throws CommandFailure.
 */
export async function readCassetteArgument(argument: string): Promise<VerifiedCassette> {
  const isFile = existsSync(argument);
  if (!isFile && !cassetteIdSchema.safeParse(argument).success) {
    throw new CommandFailure(`${argument} is neither a file nor <vertical>/<slug> of a cassette.`, misused);
  }
  try {
    const cassette = await readStoredCassette(argument, { isFile });
    if (cassette) return cassette;
  } catch (error) {
    if (error instanceof CassetteError) throw new CommandFailure(`${argument} ${error.message}`);
    throw error;
  }
  throw new CommandFailure(`There is no cassette ${argument}. tapedeck cassettes list shows them all.`);
}
