import type { Command } from "commander";
import { describeCassette, foldMessage, readEvents, type VerifiedCassette } from "#lib/replay/cassettes/index";
import { readCassetteArgument } from "../read-cassette-file";

type Options = { json?: boolean; events?: boolean };

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)} s`;
}

function summaryText(verified: VerifiedCassette): string {
  const summary = describeCassette(verified);
  const { provenance, cassette } = { provenance: summary.provenance, cassette: verified.cassette };
  const rows = [
    ["Title", summary.title],
    ["Subtitle", summary.subtitle],
    ["Provenance", `${provenance.kind}, timing ${provenance.timing}, ${provenance.recorded_at}`],
    ["Model", summary.model],
    ["Status", `${summary.status}, ends ${summary.end}`],
    ["Body", `${summary.byteSize} bytes in ${summary.chunkCount} chunks`],
    ["Time", `${seconds(summary.durationMs)}, first chunk after ${seconds(verified.chunks[0]?.deltaMs ?? 0)}`],
    ["Redactions", String(cassette.request.redactions.length)],
    ["SHA-256", cassette.integrity.body_sha256],
  ];
  const head = rows.map(([name, value]) => `${String(name).padEnd(11)} ${value}`).join("\n");
  return `${summary.id}\n${head}\n\nPrompt\n${summary.prompt}\n\nAnswer\n${summary.text}\n`;
}

export function addShowCommand(cassettes: Command): void {
  cassettes
    .command("show")
    .description("show what a cassette holds: where it comes from, its prompt and its answer")
    .argument("<cassette>", "a file or <vertical>/<slug>")
    .option("--events", "print each event with its time instead")
    .option("--json", "print JSON: the cassette without its chunks, and the message that it amounts to")
    .action(async (argument: string, { json, events }: Options) => {
      const verified = await readCassetteArgument(argument);
      const recorded = readEvents(verified.chunks);
      if (json) {
        const body = events ? { events: recorded } : { ...verified.cassette, ...foldMessage(recorded) };
        process.stdout.write(`${JSON.stringify(body, null, 2)}\n`);
      } else if (events) {
        for (const { atMs, event, data } of recorded) {
          process.stdout.write(`${seconds(atMs).padStart(10)}  ${event.padEnd(20)}  ${data}\n`);
        }
      } else process.stdout.write(summaryText(verified));
    });
}
