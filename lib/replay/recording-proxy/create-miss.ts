import { type Call, senderOf } from "./call";
import type { Match } from "./match-request";
import type { Miss } from "./report";
import type { Exchange, Tape } from "./tape";
import type { TapeRequest } from "./tape-request";
import type { UnopenedTapes } from "./unopened-tapes";

/** A request that a tape has no recording of. */
export type Missed = {
  call: Call;
  asked: TapeRequest;
  match: Extract<Match<Exchange>, { kind: "miss" }>;
  /** In mode `auto`, why it was not recorded either. */
  failure?: string | undefined;
};

/** Returns why a tape has no recording of a request, with the nearest one, and with the tape that a renamed test left. */
export async function createMiss(
  tape: Tape,
  unopened: UnopenedTapes,
  { call, asked, match, failure }: Missed,
): Promise<Miss> {
  const { method, path } = asked;
  const found = match.findNearest();
  const isEmpty = tape.exchanges.length === 0;
  const other = await unopened.find(call.provider, asked, tape.volatile);
  return {
    test: tape.test,
    request: `${method} ${path}`,
    ...senderOf(call),
    reason: isEmpty ? `${match.reason}: ${tape.folder}` : match.reason,
    nearest: found && { file: found.exchange.file, differences: found.differences },
    ...(other && { other: { ...other, freeFolder: isEmpty ? tape.folder : null } }),
    ...(failure !== undefined && { failure }),
  };
}
