import type { VerifiedCassette } from "#lib/replay/cassettes/index";
import { addLocal } from "./local-servers";
import { addOld } from "./play-exchange";
import { addUse, type SessionReport } from "./report";
import type { Exchange } from "./tape";
import type { Upstream } from "./upstreams";

type Played = { exchange: Exchange; verified: VerifiedCassette; upstream: Upstream; maxAgeDays: number | undefined };

/** Counts a recording that is played, and notes what the summary of the run says of it. */
export function notePlayed(report: SessionReport, { exchange, verified, upstream, maxAgeDays }: Played): void {
  report.played += 1;
  addOld(report, verified, { file: exchange.file, maxAgeDays });
  addUse(report, exchange, verified, { isPlayed: true });
  addLocal(report, { cassette: verified.cassette, upstream }, "played");
}
