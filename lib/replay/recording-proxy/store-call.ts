import { originOf, type RecordedCall } from "./call";
import type { SessionOptions } from "./config";
import type { ReceivedAnswer } from "./seal-exchange";
import type { SessionReport } from "./session-report";
import { explainFailure, type RecordedFile, storeExchange } from "./store-exchange";
import type { Tape } from "./tape";
import { describeRefusal } from "./upstreams";

/** An answer as it came, and the file that was reserved for it. */
export type Received = { file: string; answer: ReceivedAnswer; problem?: string | undefined };

/** The recording, if there is one, and whether it could not be written. */
export type StoredCall = { recorded: RecordedFile | null; isUnwritten: boolean };

/** Stores the answer to a call on a tape, and adds what came of it to the report. */
export async function storeCall(
  call: RecordedCall,
  { file, answer, problem }: Received,
  { tape, options, report, now }: { tape: Tape; options: SessionOptions; report: SessionReport; now: Date },
): Promise<StoredCall> {
  const { provider, secrets } = call;
  const { asked, redactions, suspicions } = call.read();
  const { notes } = report;
  try {
    const { cassette, isWithheld, ...stored } = await storeExchange(tape, {
      file,
      provider,
      request: asked,
      redactions,
      suspicions,
      answer,
      problem,
      secrets,
      allowed: options.allowed,
      hint: describeRefusal(call.request.headers, provider),
      origin: originOf(call.incoming),
      recordedAt: now,
    });
    notes.push(...stored.notes);
    if (isWithheld) report.withheld += 1;
    if (!cassette) return { recorded: null, isUnwritten: false };
    report.recorded += 1;
    report.redactions += cassette.request.redactions.length;
    const recorded = { file, status: answer.status, request: `${asked.method} ${asked.path}` };
    return { recorded, isUnwritten: false };
  } catch (error) {
    // The client has its answer all the same.
    notes.push(`The answer to ${asked.method} ${asked.path} was not stored: ${explainFailure(error)}.`);
    return { recorded: null, isUnwritten: true };
  }
}
