import { dayMs } from "#lib/platform/time";
import { recordedAtOf, toRecording, type VerifiedCassette } from "#lib/replay/cassettes/index";
import { delayResponse, isClosed, openRecording, playToResponse } from "#lib/replay/playback/index";
import type { Call } from "./call";
import { applyCallFault, type CallFault, hurryRetries, seedFault } from "./proxy-faults";
import type { SessionReport } from "./report";
import type { TestRun } from "./store-call";

/** Returns the file and day of a recording if it is older than it should be, or if only the day of its import is known. */
export function findOld(
  { cassette }: VerifiedCassette,
  { file, maxAgeDays = Number.POSITIVE_INFINITY }: { file: string; maxAgeDays: number | undefined },
): SessionReport["old"] {
  const recordedAt = recordedAtOf(cassette.provenance);
  if (maxAgeDays === Number.POSITIVE_INFINITY) return [];
  if (recordedAt !== null && (Date.now() - Date.parse(recordedAt)) / dayMs <= maxAgeDays) return [];
  return [{ file, day: recordedAt && new Date(recordedAt).toISOString().slice(0, 10) }];
}

type ToPlay = {
  /** Value of the response header `x-tapedeck`. */
  marker: "played" | "recorded";
  file: string;
  verified: VerifiedCassette;
  speed: number;
  fault: CallFault | undefined;
  run: Pick<TestRun, "faults" | "report">;
};

/** Plays a recording to a client, with the fault that the test asks for. */
export async function playExchange({ response, provider }: Call, input: ToPlay): Promise<void> {
  const { file, verified, speed, marker, run } = input;
  const { schedule } = openRecording(toRecording(verified), speed);
  const { status, headers } = verified.cassette.response;
  const contentType = headers["content-type"] ?? "application/json";
  const opened = { status, headers: { "Content-Type": contentType }, schedule };
  const { fault, headers: added, notes } = seedFault(input.fault, file);
  run.report.notes.push(...notes);
  const { replay, idle } = fault ? applyCallFault(opened, fault, provider) : { replay: opened, idle: undefined };
  if (input.fault) run.faults.markPlayed(input.fault, idle);
  if (fault) await delayResponse(fault, response);
  if (isClosed(response)) return;
  // A provider that has just answered decides itself when it is asked again.
  const hurried = marker === "played" ? hurryRetries(status, speed) : {};
  response.writeHead(status, { ...headers, ...hurried, "x-tapedeck": marker, "x-tapedeck-file": file, ...added });
  playToResponse(replay, response);
}
