import { printableLines } from "#lib/platform/printable";
import { describeCassette, readRecordedAnswer, type VerifiedCassette } from "#lib/replay/cassettes/index";
import { requireProvider } from "#lib/replay/providers/index";
import { answerText } from "./answer-text";
import { type CommandIo, writeJson } from "./io";
import { requestText } from "./request-text";

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)} s`;
}

/** Returns the counts of a provider's usage, under the provider's names. */
export function usageText(usage: Record<string, unknown>): string {
  return Object.entries(usage)
    .flatMap(([name, count]) => (typeof count === "number" ? [`${name} ${count}`] : []))
    .join(", ");
}

function summaryText(verified: VerifiedCassette): string {
  const { cassette, chunks } = verified;
  const summary = describeCassette(verified);
  const { provenance, parentId } = summary;
  const { request } = cassette;
  const provider = requireProvider(summary.provider);
  const { answer, error } = readRecordedAnswer(provider, { headers: cassette.response.headers, chunks });
  const rows = [
    ["Title", summary.title],
    ["Subtitle", summary.subtitle],
    ["Provenance", `${provenance.kind}, timing ${provenance.timing}, ${provenance.recorded_at}`],
    ["Provider", provider.title],
    ["Model", summary.model],
    ["Request", `${request.method} ${request.path}`],
    ["Status", `${summary.status}, ends ${summary.end}`],
    ["Body", `${summary.byteSize} bytes in ${summary.chunkCount} chunks`],
    ["Time", `${seconds(summary.durationMs)}, first chunk after ${seconds(chunks[0]?.deltaMs ?? 0)}`],
    ["Usage", usageText(summary.usage) || "none reported"],
    ...(parentId === null ? [] : [["Continues", parentId]]),
    ["Redactions", String(request.redactions.length)],
    ["SHA-256", cassette.integrity.body_sha256],
  ];
  const head = rows.map(([name, value]) => `${String(name).padEnd(11)} ${value}`).join("\n");
  const parts = answerText(answer?.parts ?? [], error);
  return `${summary.id}\n${head}\n\nRequest\n${requestText(provider, request)}\n\nAnswer\n${parts}\n`;
}

/** Prints a cassette: its provenance, the messages of its request and its answer; or its events with their times; or all of it as JSON. */
export function showCassette(
  verified: VerifiedCassette,
  { json, events }: { json?: boolean | undefined; events?: boolean | undefined },
  io: CommandIo,
): void {
  const { cassette, chunks } = verified;
  const { headers } = cassette.response;
  const recorded = readRecordedAnswer(requireProvider(cassette.provider), { headers, chunks });
  if (json) {
    const { body: message, error, isEnded: stopped } = recorded;
    writeJson(io, events ? { events: recorded.events } : { ...cassette, message, error, stopped });
  } else if (events) {
    for (const { atMs, event, data } of recorded.events) {
      io.stdout.write(`${seconds(atMs).padStart(10)}  ${event.padEnd(20)}  ${data}\n`);
    }
  } else io.stdout.write(printableLines(summaryText(verified)));
}
