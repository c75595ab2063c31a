import { dayMs } from "#lib/platform/time";
import { recordedAtOf, toRecording, type VerifiedCassette } from "#lib/replay/cassettes/index";
import { delayResponse, isClosed, openRecording, playToResponse, type Replay } from "#lib/replay/playback/index";
import type { Call } from "./call";
import { type AskedFault, applyCallFault, type CallFault, hurryPolls, hurryRetries, seedFault } from "./proxy-faults";
import type { SessionReport } from "./report";
import type { TestRun } from "./store-call";

/** Notes the file and day of a recording, once, if it is older than it should be, or if only the day of its import is known. */
export function addOld(
  { old }: SessionReport,
  { cassette }: VerifiedCassette,
  { file, maxAgeDays = Number.POSITIVE_INFINITY }: { file: string; maxAgeDays: number | undefined },
): void {
  const recordedAt = recordedAtOf(cassette.provenance);
  if (maxAgeDays === Number.POSITIVE_INFINITY || old.some((each) => each.file === file)) return;
  if (recordedAt !== null && (Date.now() - Date.parse(recordedAt)) / dayMs <= maxAgeDays) return;
  old.push({ file, day: recordedAt && new Date(recordedAt).toISOString().slice(0, 10) });
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
export async function playExchange(call: Call, { file, verified, speed, marker, fault, run }: ToPlay): Promise<void> {
  const { schedule } = openRecording(toRecording(verified), speed);
  const { status, headers } = verified.cassette.response;
  const contentType = headers["content-type"] ?? "application/json";
  const opened = { status, headers: { "Content-Type": contentType }, schedule };
  // A provider that has just answered decides itself when it is asked again.
  const polls = hurryPolls(call.seen.method, call.provider, speed);
  const hurried = marker === "played" ? { ...hurryRetries(status, speed), ...polls } : {};
  const sent = { ...headers, ...hurried, "x-tapedeck": marker, "x-tapedeck-file": file };
  await playWithFault(call, opened, { name: file, headers: sent, fault, run });
}

type ToSend = Pick<ToPlay, "run"> & {
  fault: AskedFault | undefined;
  /** What notes call the answer. */
  name: string;
  headers: Readonly<Record<string, string>>;
};

function noteOnce({ notes }: SessionReport, note: string): void {
  if (!notes.includes(note)) notes.push(note);
}

/** Plays an answer to a client, with the fault that the test asks for. */
export async function playWithFault(
  { response, provider }: Call,
  opened: Replay,
  { name, headers, fault: asked, run }: ToSend,
): Promise<void> {
  const { fault, headers: added, notes } = seedFault(asked, name);
  run.report.notes.push(...notes);
  const { replay, idle } = fault ? applyCallFault(opened, fault, provider) : { replay: opened, idle: undefined };
  if (asked && "call" in asked) run.faults.markPlayed(asked, idle);
  else if (idle) noteOnce(run.report, `What ${name} asks for was not done; ${idle}.`);
  if (fault) await delayResponse(fault, response);
  if (isClosed(response)) return;
  // A fault may change how long the answer is.
  const { "content-length": length, ...rest } = headers;
  response.writeHead(opened.status, { ...(fault ? rest : headers), ...added });
  playToResponse(replay, response);
}
