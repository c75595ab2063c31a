import { type Command, Option } from "commander";
import { systemClock } from "#lib/platform/clock";
import { config } from "#lib/platform/config";
import { parseUrl } from "#lib/platform/parse-url";
import { buildRequest, parsePromptFile, record } from "#lib/replay/cassettes/recorder/index";
import { parseCount, parseId, parseSubtitle, parseTitle } from "../arguments";
import { outputFolder, readNamedFile, readNamedJson, titleOf, toCommandFailure } from "../cassette-files";
import { CommandFailure, misused } from "../failure";
import { type CommandIo, writeJson } from "../io";
import { describeRecorded, RecordDisplay } from "../record-display";
import { withStopSignal } from "../stop-signal";

type Options = {
  prompt?: string;
  promptFile?: string;
  request?: string;
  system?: string;
  model?: string;
  maxTokens?: number;
  title?: string;
  subtitle?: string;
  baseUrl?: string;
  out?: string;
  allowError?: boolean;
  force?: boolean;
  json?: boolean;
  quiet?: boolean;
};

const help = `
A prompt file is text or markdown. Optional YAML front matter can set title, subtitle, model, system, max_tokens and any
other member of a Messages request.

Examples:
  tapedeck record legal/nda-review --model <model> --prompt "What is a mutual NDA?"
  tapedeck record legal/nda-review --prompt-file prompts/nda.md
  tapedeck record developer-tools/tools --request request.json --title "Two tools at once"
  tapedeck record finance/bonds --prompt-file p.md --base-url http://127.0.0.1:4000 --out /tmp/tapes --json

The key is read from ANTHROPIC_API_KEY. The key and anything else that looks like a secret are removed from the cassette.
Exit codes: 0 recorded, 1 failed (nothing was written), 2 wrong usage, 130 interrupted.`;

function apiKeyFor(baseUrl: string): string | undefined {
  const key = config().ANTHROPIC_API_KEY;
  const isAnthropic = parseUrl(baseUrl)?.hostname.endsWith("anthropic.com") === true;
  if (key !== undefined || !isAnthropic) return key;
  throw new CommandFailure("ANTHROPIC_API_KEY is not set. Set it, or name another provider with --base-url.", misused);
}

async function readRequest(options: Options) {
  const { prompt, promptFile, request, system, model, maxTokens } = options;
  const file = promptFile === undefined ? undefined : parsePromptFile(await readNamedFile("--prompt-file", promptFile));
  const given = request === undefined ? {} : await readNamedJson("--request", request);
  const base = { ...given, ...file?.request };
  const body = buildRequest({ base, prompt: prompt ?? file?.prompt, system, model, maxTokens });
  return { body, title: file?.title, subtitle: file?.subtitle };
}

async function recordAnswer(id: string, options: Options, io: CommandIo): Promise<void> {
  const { json = false, quiet = false, allowError = false, force = false } = options;
  const { body, title, subtitle } = await readRequest(options);
  const baseUrl = options.baseUrl ?? config().ANTHROPIC_BASE_URL;
  const apiKey = apiKeyFor(baseUrl);
  const recorded = await withStopSignal((signal) => {
    const display = new RecordDisplay(io, { showsText: !json && !quiet, showsProgress: !quiet });
    return record(
      {
        clock: systemClock,
        signal,
        onBytes: (bytes) => display.bytes(bytes),
        onProgress: (progress) => display.progress(progress),
      },
      {
        id,
        title: options.title ?? title ?? titleOf(id),
        subtitle: options.subtitle ?? subtitle ?? `Recorded from ${body.model}`.slice(0, 300),
        body,
        baseUrl,
        apiKey,
        allowError,
        destination: { folder: outputFolder(options.out), force },
      },
    ).finally(() => display.end());
  });
  if (json) writeJson(io, recorded);
  else if (!quiet) io.stderr.write(describeRecorded(recorded));
}

export function addRecordCommand(program: Command, io: CommandIo): void {
  program
    .command("record")
    .description("send a request to an Anthropic-compatible provider and store the answer as a cassette")
    .argument("<id>", "<folder>/<slug> of the new cassette", parseId)
    .addOption(new Option("--prompt <text>", "the prompt").conflicts("promptFile"))
    .option("--prompt-file <file>", "a file with the prompt, and optional YAML front matter")
    .option("--request <file>", "a JSON file with the whole Messages request, or parts of it")
    .option("--system <text>", "the system prompt")
    .option("--model <model>", "name of the model")
    .option("--max-tokens <number>", "maximum tokens of the answer (default: 1024)", parseCount)
    .option("--title <text>", "the cassette's title (default: from its id)", parseTitle)
    .option("--subtitle <text>", "a line below the title (default: the model)", parseSubtitle)
    .option("--base-url <url>", "the provider, without /v1/messages (default: ANTHROPIC_BASE_URL)")
    .option("--out <dir>", "folder for <folder>/<slug>.json (default: CASSETTE_DIR)")
    .option("--allow-error", "keep an error response or a truncated stream")
    .option("--force", "overwrite an existing cassette")
    .option("--json", "print a summary as JSON instead of the answer")
    .option("--quiet", "print only errors")
    .addHelpText("after", help)
    .action(async (id: string, options: Options) => {
      try {
        await recordAnswer(id, options, io);
      } catch (error) {
        throw toCommandFailure(error);
      }
    });
}
