import { AnswerUse } from "./answers";
import { describeAddress, originOf, type RecordedCall } from "./call";
import { defaultTest, type SessionOptions } from "./config";
import { addLocal } from "./local-servers";
import { FaultUse, isRetried } from "./proxy-faults";
import { addUse, emptyReport, type SessionReport } from "./report";
import type { ReceivedAnswer } from "./seal-exchange";
import { describeDoubtful, explainFailure, nameRedactions, type RecordedFile, storeExchange } from "./store-exchange";
import type { Tape } from "./tape";
import { describeRefusal } from "./upstreams";

/** What a test has come to since it began. */
export type TestRun = {
  options: SessionOptions;
  report: SessionReport;
  faults: FaultUse;
  answers: AnswerUse;
  hasEnded: boolean;
  /** What this attempt has recorded, and those before it that failed. */
  recorded: RecordedFile[];
  /** Notes that are true only if the test fails for good. */
  ifFailed: string[];
};

export function newRun(
  { test, folder }: Pick<Tape, "test" | "folder">,
  options: SessionOptions,
  recorded: readonly RecordedFile[] = [],
): TestRun {
  const faults = new FaultUse(options.faults);
  const answers = new AnswerUse(options.answers);
  const report = emptyReport(test, folder);
  return { options, report, faults, answers, hasEnded: false, recorded: [...recorded], ifFailed: [] };
}

/**
 * Takes back what was noted because an attempt failed, as another one follows, and returns the recordings that it left: the
 * next one plays them, and decides what is said of them.
 */
export function takeBack({ report, ifFailed, recorded, options }: TestRun): readonly RecordedFile[] {
  report.notes = report.notes.filter((note) => !ifFailed.includes(note));
  return ifFailed.length > 0 && options.mode !== "record" ? recorded : [];
}

/** Returns whose calls are on a tape. */
export function callerOf({ test }: Pick<SessionReport, "test">): string {
  return test === defaultTest ? "command" : "test";
}

/** How a test ended, or the command of a run; `stopped` by the developer, as servers are. */
export type Outcome = "passed" | "failed" | "stopped";

/** Whether an answer is an error that a test may not expect. A server without a stream for MCP refuses its GET with 405. */
function isDoubtful({ status, request }: RecordedFile): boolean {
  return status >= 400 && !isRetried(status) && !(status === 405 && request.startsWith("GET "));
}

/** Ends a run: notes the faults and hand-written answers that were not used, and recordings that may be wrong. */
export function endRun(run: TestRun, outcome: Outcome): void {
  const { recorded, faults, answers, report, options } = run;
  const { folder, notes } = report;
  if (!run.hasEnded) {
    const unusedAnswers = options.mode === "live" ? [] : answers.describeUnused();
    const idle = [...faults.describeUnused(), ...unusedAnswers];
    if (outcome === "failed" && options.mode !== "record")
      run.ifFailed = describeDoubtful(recorded, folder, callerOf(report));
    else if (outcome !== "failed" || options.keepsFailed)
      notes.push(...describeDoubtful(recorded.filter(isDoubtful), folder));
    notes.push(...idle, ...run.ifFailed);
  }
  run.hasEnded = true;
}

/** Notes why the tape of a run in mode `record` stays as it was: it failed, or else not every answer could be stored. */
export function noteKept(run: TestRun, isSound: boolean): void {
  const why = isSound
    ? "Its old tape stays, since not every answer could be stored."
    : `The ${callerOf(run.report)} failed, so its old tape stays. With --keep-failed, the new one would replace it.`;
  run.report.notes.push(why);
  if (!isSound) run.ifFailed.push(why);
}

/**
 * An answer as it came, and the file that was reserved for it. `hasLeft`: whether the client had gone before it began;
 * `isLate`: whether its test ended before it was complete; `isBeyondBound`: whether the problem is a bound of recordings.
 */
type Received = {
  file: string;
  answer: ReceivedAnswer;
  problem: string | undefined;
  isBeyondBound: boolean;
  hasLeft: boolean;
  isLate: boolean;
};

/**
 * Stores the answer to a call on a tape, and notes what came of it. Returns its file if it was stored, and why the call counts
 * as missed in mode `auto`, unless the report counts it otherwise.
 */
export async function storeCall(
  call: RecordedCall,
  received: Received,
  { tape, run }: { tape: Tape; run: TestRun },
): Promise<{ file?: string; failure?: string | undefined }> {
  const { provider, secrets } = call;
  const { report } = run;
  const { asked, redactions, suspicions, problem } = call.read();
  const request = `${asked.method} ${asked.path}`;
  try {
    const { stored, isWithheld, failure, notes } = await storeExchange(tape, {
      ...received,
      problem: received.problem ?? problem,
      provider,
      request: asked,
      redactions,
      suspicions,
      secrets,
      allowed: run.options.allowed,
      hint: describeRefusal(call.request.headers, provider, call.incoming.upstream.host),
      origin: originOf(call.incoming),
      recordedAt: new Date(),
    });
    report.notes.push(...notes);
    if (isWithheld) report.withheld += 1;
    if (!stored) {
      if (!received.isLate && !received.isBeyondBound) return { failure };
      report.unwritten += 1;
      return {};
    }
    const { cassette, file } = stored;
    report.recorded += 1;
    if (received.hasLeft)
      report.notes.push(
        `The client of ${request} left before the answer came. Replays answer at once: to test a time-out, add a fault with firstByteMs (first_byte_ms in Python).`,
      );
    const address = describeAddress(call.incoming);
    if (address !== undefined && !report.addresses.includes(address)) report.addresses.push(address);
    addLocal(report, { cassette, upstream: call.incoming.upstream }, "recorded");
    addUse(report, { provider, request: asked }, { cassette, chunks: received.answer.chunks }, { isPlayed: false });
    report.redactions += cassette.request.redactions.length;
    report.redacted = nameRedactions(report.redacted, report.test, stored);
    run.recorded.push({ file, status: received.answer.status, request });
    return { file };
  } catch (error) {
    // The client has its answer all the same.
    report.notes.push(`The answer to ${request} was not stored: ${explainFailure(error)}.`);
    report.unwritten += 1;
    return {};
  }
}
