import { type Command, Option } from "commander";
import { systemClock } from "#lib/platform/clock";
import { config } from "#lib/platform/config";
import { formatCount } from "#lib/platform/format-count";
import { type CaptureFormat, captureFormats, type Imported, importCapture } from "#lib/replay/cassettes/import/index";
import { findProvider, protocolNames, providers } from "#lib/replay/providers/index";
import { parseCount, parseDelayMs, parseId, parseSubtitle, parseTitle } from "../arguments";
import { outputFolder, readNamedJson, shortPath, titleOf, toCommandFailure } from "../cassette-files";
import { type CommandIo, writeJson } from "../io";

type Options = {
  id: string;
  title?: string;
  subtitle?: string;
  provider?: string;
  request?: string;
  format?: CaptureFormat;
  entry?: number;
  chunkMs?: number;
  out?: string;
  force?: boolean;
  json?: boolean;
};

const help = `
Formats:
  sse     the raw bytes of an event stream, for example from curl; timing is synthetic
  jsonl   one JSON event per line: Ollama's exact bytes; for others the event stream is rebuilt; timing is synthetic
  json    the body of an answer that was not streamed, or Gemini's array; timing is synthetic
  har     an answer in a HAR file; its times per event or read if it has them, else spread over its receive time
  aimock  a fixture of aimock's recorder; events are rebuilt, with its times
The cassette's provenance says what is synthetic or rebuilt.

Examples:
  tapedeck cassettes import capture.sse --id legal/nda-review --title "Review of an NDA"
  tapedeck cassettes import session.har --id finance/bonds --entry 12
  tapedeck cassettes import events.jsonl --id developer-tools/refusal --request request.json --chunk-ms 40

Exit codes: 0 imported, 1 failed (nothing was written), 2 wrong usage.`;

function describe({ id, chunkCount, durationMs, timing, redactionCount, path, end }: Imported): string {
  const secrets = redactionCount === 1 ? "1 secret removed" : `${redactionCount} secrets removed`;
  const facts = [formatCount(chunkCount, "chunk"), `${(durationMs / 1000).toFixed(2)} s (${timing} timing)`, secrets];
  return `Imported ${id}${end === "complete" ? "" : ` (${end})`}: ${facts.join(", ")}. Written to ${shortPath(path)}\n`;
}

async function importFile(
  file: string,
  { id, title, subtitle, provider, request, out, force = false, ...options }: Options,
) {
  return importCapture(
    { clock: systemClock },
    {
      ...options,
      file,
      provider: provider === undefined ? undefined : findProvider(provider),
      id,
      title: title ?? titleOf(id),
      subtitle: subtitle ?? "Imported from another tool's capture",
      body: request === undefined ? undefined : await readNamedJson("--request", request),
      secrets: providers.flatMap(({ upstream }) => upstream.keyVariables.map((name) => config()[name])),
      destination: { folder: outputFolder(out), force },
    },
  );
}

export function addImportCommand(cassettes: Command, io: CommandIo): void {
  cassettes
    .command("import")
    .description("convert another tool's capture to a cassette")
    .argument("<file>", "the capture")
    .requiredOption("--id <vertical/slug>", "the new cassette's id", parseId)
    .option("--title <text>", "the cassette's title (default: from its id)", parseTitle)
    .option("--subtitle <text>", "a line below the title", parseSubtitle)
    .option("--request <file>", "a JSON file with the request's body, if the capture does not contain it")
    .addOption(new Option("--provider <name>", "protocol of the answer (default: detected)").choices(protocolNames))
    .addOption(new Option("--format <kind>", "format of the capture (default: detected)").choices([...captureFormats]))
    .option("--entry <number>", "which HAR entry or aimock fixture, from 1", parseCount)
    .option("--chunk-ms <ms>", "the same delay before each event, instead of other times", parseDelayMs)
    .option("--out <dir>", "folder for <folder>/<slug>.json (default: CASSETTE_DIR)")
    .option("--force", "overwrite an existing cassette")
    .option("--json", "print JSON")
    .addHelpText("after", help)
    .action(async (file: string, { json, ...options }: Options) => {
      try {
        const imported = await importFile(file, options);
        if (json) writeJson(io, imported);
        else io.stdout.write(describe(imported));
        const { notJsonCount: count } = imported;
        if (count > 0)
          io.stderr.write(`Warning: the data of ${formatCount(count, "event")} is no JSON object; clients can fail.\n`);
      } catch (error) {
        throw toCommandFailure(error);
      }
    });
}
