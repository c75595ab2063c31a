import { describeAddress, originOf, type RecordedCall } from "./call";
import type { SessionOptions } from "./config";
import { FaultUse } from "./proxy-faults";
import { addUse, emptyReport, type SessionReport } from "./report";
import type { ReceivedAnswer } from "./seal-exchange";
import { explainFailure, type RecordedFile, storeExchange } from "./store-exchange";
import type { Tape } from "./tape";
import { describeRefusal } from "./upstreams";

/** What a test has come to since it began. */
export type TestRun = {
  options: SessionOptions;
  report: SessionReport;
  faults: FaultUse;
  hasEnded: boolean;
  recorded: RecordedFile[];
  /** Whether an answer could not be written, so that a new tape lacks it. */
  hasUnwritten: boolean;
};

export function newRun({ test, folder }: Pick<Tape, "test" | "folder">, options: SessionOptions): TestRun {
  const faults = new FaultUse(options.faults);
  const report = emptyReport(test, folder);
  return { options, report, faults, hasEnded: false, recorded: [], hasUnwritten: false };
}

/** An answer as it came, and the file that was reserved for it. */
type Received = { file: string; answer: ReceivedAnswer; problem?: string | undefined };

/** Stores the answer to a call on a tape, and notes what came of it. */
export async function storeCall(
  call: RecordedCall,
  { file, answer, problem }: Received,
  { tape, run }: { tape: Tape; run: TestRun },
): Promise<void> {
  const { provider, secrets } = call;
  const { report } = run;
  const { asked, redactions, suspicions } = call.read();
  const request = `${asked.method} ${asked.path}`;
  try {
    const { cassette, isWithheld, notes } = await storeExchange(tape, {
      file,
      provider,
      request: asked,
      redactions,
      suspicions,
      answer,
      problem,
      secrets,
      allowed: run.options.allowed,
      hint: describeRefusal(call.request.headers, provider),
      origin: originOf(call.incoming),
      recordedAt: new Date(),
    });
    report.notes.push(...notes);
    if (isWithheld) report.withheld += 1;
    if (!cassette) return;
    report.recorded += 1;
    const address = describeAddress(call.incoming);
    if (address !== undefined && !report.addresses.includes(address)) report.addresses.push(address);
    addUse(report, { provider, request: asked }, cassette, { isPlayed: false });
    report.redactions += cassette.request.redactions.length;
    run.recorded.push({ file, status: answer.status, request });
  } catch (error) {
    // The client has its answer all the same.
    report.notes.push(`The answer to ${request} was not stored: ${explainFailure(error)}.`);
    run.hasUnwritten = true;
  }
}
