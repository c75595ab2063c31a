import { type Command, Option } from "commander";
import { systemClock } from "#lib/platform/clock";
import { config } from "#lib/platform/config";
import { type CaptureFormat, captureFormats, type Imported, importCapture } from "#lib/replay/cassettes/import/index";
import { toCommandFailure } from "../cassette-failure";
import {
  outputFolder,
  parseCount,
  parseDelayMs,
  parseId,
  parseSubtitle,
  parseTitle,
  readNamedJson,
  shortPath,
  titleOf,
} from "../cassette-options";

type Options = {
  id: string;
  title?: string;
  subtitle?: string;
  request?: string;
  format?: CaptureFormat;
  entry?: number;
  chunkMs?: number;
  out?: string;
  force?: boolean;
  json?: boolean;
};

const help = `
Kinds of captures:
  sse     the raw bytes of an event stream, such as curl writes; its times are made up
  jsonl   one JSON event per line; the event stream is made again, its times are made up
  har     an event stream in a HAR file; real times where it has them per event or read, else wait and receive spread
  aimock  a fixture of aimock's recorder, which keeps meaning and times; the events are made from them
What was made up stands in the cassette's provenance.

Examples:
  tapedeck cassettes import capture.sse --id legal/nda-review --title "Review of an NDA"
  tapedeck cassettes import session.har --id finance/bonds --entry 12
  tapedeck cassettes import events.jsonl --id developer-tools/refusal --request request.json --chunk-ms 40

Exit codes: 0 imported, 1 failed (nothing was written), 2 wrong usage.`;

function describe({ id, chunkCount, durationMs, timing, redactionCount, path, end }: Imported): string {
  const secrets = redactionCount === 1 ? "1 secret removed" : `${redactionCount} secrets removed`;
  const facts = [`${chunkCount} chunks`, `${(durationMs / 1000).toFixed(2)} s (${timing} timing)`, secrets];
  return `Imported ${id}${end === "complete" ? "" : ` (${end})`}: ${facts.join(", ")}. In ${shortPath(path)}\n`;
}

async function run(file: string, { id, title, subtitle, request, out, force = false, json, ...options }: Options) {
  const imported = await importCapture(
    { clock: systemClock },
    {
      ...options,
      file,
      id,
      title: title ?? titleOf(id),
      subtitle: subtitle ?? "Imported from another tool's capture",
      body: request === undefined ? undefined : await readNamedJson("--request", request),
      secrets: [config().ANTHROPIC_API_KEY],
      destination: { folder: outputFolder(out), force },
    },
  );
  process.stdout.write(json ? `${JSON.stringify(imported, null, 2)}\n` : describe(imported));
}

export function addImportCommand(cassettes: Command): void {
  cassettes
    .command("import")
    .description("make a cassette of another tool's capture")
    .argument("<file>", "the capture")
    .requiredOption("--id <vertical/slug>", "the new cassette's id", parseId)
    .option("--title <text>", "the cassette's title (default: from its id)", parseTitle)
    .option("--subtitle <text>", "a line below the title", parseSubtitle)
    .option("--request <file>", "a JSON file with the request's body, where the capture does not hold it")
    .addOption(new Option("--format <kind>", "kind of capture (default: by the file)").choices([...captureFormats]))
    .option("--entry <number>", "which HAR entry or aimock fixture, from 1", parseCount)
    .option("--chunk-ms <ms>", "the same delay before each event, in place of other times", parseDelayMs)
    .option("--out <dir>", "folder for <vertical>/<slug>.json (default: CASSETTE_DIR)")
    .option("--force", "replace a cassette that stands there")
    .option("--json", "print JSON")
    .addHelpText("after", help)
    .action(async (file: string, options: Options) => {
      try {
        await run(file, options);
      } catch (error) {
        throw toCommandFailure(error);
      }
    });
}
