import { AnswerUse } from "./answers";
import { describeAddress, originOf, type RecordedCall } from "./call";
import { defaultTest, type SessionOptions } from "./config";
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
  recorded: RecordedFile[];
};

export function newRun({ test, folder }: Pick<Tape, "test" | "folder">, options: SessionOptions): TestRun {
  const faults = new FaultUse(options.faults);
  const answers = new AnswerUse(options.answers);
  const report = emptyReport(test, folder);
  return { options, report, faults, answers, hasEnded: false, recorded: [] };
}

/** Returns whose calls are on a tape. */
export function callerOf({ test }: Pick<SessionReport, "test">): string {
  return test === defaultTest ? "command" : "test";
}

/** Returns what is to be said of faults and hand-written answers that were not used, and of recordings that may be wrong. */
export function describeEnd({ recorded, faults, answers, report, options }: TestRun, hasPassed: boolean): string[] {
  const { requests, folder } = report;
  const idle = [...faults.describeUnused(requests), ...(options.mode === "live" ? [] : answers.describeUnused())];
  if (hasPassed) {
    const doubtful = recorded.filter(({ status }) => status >= 400 && !isRetried(status));
    return [...describeDoubtful(doubtful, folder), ...idle];
  }
  return [...idle, ...(options.mode === "record" ? [] : describeDoubtful(recorded, folder, callerOf(report)))];
}

/**
 * An answer as it came, and the file that was reserved for it. `hasLeft`: whether the client had gone before it began;
 * `isLate`: whether its test ended before it was complete.
 */
type Received = {
  file: string;
  answer: ReceivedAnswer;
  problem: string | undefined;
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
      if (!received.isLate) return { failure };
      report.unwritten += 1;
      return {};
    }
    const { cassette, file } = stored;
    report.recorded += 1;
    if (received.hasLeft)
      report.notes.push(
        `The client of ${request} left before the answer came. Replays answer at once: to test a time-out, add a fault with stallMs (stall_ms in Python).`,
      );
    const address = describeAddress(call.incoming);
    if (address !== undefined && !report.addresses.includes(address)) report.addresses.push(address);
    addUse(report, { provider, request: asked }, cassette, { isPlayed: false });
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
