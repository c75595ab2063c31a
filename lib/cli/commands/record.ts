import { type Command, Option } from "commander";
import { systemClock } from "#lib/platform/clock";
import { config } from "#lib/platform/config";
import { parseUrl } from "#lib/platform/parse-url";
import { buildRequest, parsePromptFile, record } from "#lib/replay/cassettes/recorder/index";
import { type Provider, protocolNames, requireProvider } from "#lib/replay/providers/index";
import { parseCount, parseHeader, parseId, parseSubtitle, parseTitle } from "../arguments";
import { outputFolder, readNamedFile, readNamedJson, titleOf, toCommandFailure } from "../cassette-files";
import { CommandFailure, misused } from "../failure";
import { type CommandIo, writeJson } from "../io";
import { describeRecorded, RecordDisplay } from "../record-display";
import { withStopSignal } from "../stop-signal";

type Options = {
  provider: string;
  prompt?: string;
  promptFile?: string;
  request?: string;
  system?: string;
  model?: string;
  maxTokens?: number;
  /** False with `--no-stream`. */
  stream: boolean;
  header: Record<string, string>;
  beta: string[];
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
Examples:
  tapedeck record legal/nda-review --model <model> --prompt "What is a mutual NDA?"
  tapedeck record legal/nda-review --provider openai-chat --prompt-file prompts/nda.md
  tapedeck record developer-tools/tools --provider openai-responses --request request.json

The key is read from ANTHROPIC_API_KEY, OPENAI_API_KEY, or GEMINI_API_KEY. The key and anything else that looks like a
secret are removed from the cassette.
Exit codes: 0 recorded, 1 failed (nothing was written), 2 wrong usage, 130 interrupted.`;

function apiKeyFor({ title, upstream }: Provider, baseUrl: string): string | undefined {
  const settings = config();
  const key = upstream.keyVariables.map((name) => settings[name]).find((value) => value !== undefined);
  const isOfficial = parseUrl(baseUrl)?.hostname === parseUrl(upstream.baseUrl)?.hostname;
  if (key !== undefined || !isOfficial || upstream.keyVariables.length === 0) return key;
  const names = upstream.keyVariables.join(" or ");
  throw new CommandFailure(
    `${names} is not set. Set it, or name another server for ${title} with --base-url.`,
    misused,
  );
}

function headersOf({ title, upstream }: Provider, { header, beta }: Options): Record<string, string> {
  if (beta.length === 0) return header;
  if (upstream.betaHeader === null) throw new CommandFailure(`${title} has no beta features; use --header.`, misused);
  return { [upstream.betaHeader]: beta.join(","), ...header };
}

async function readRequest(provider: Provider, options: Options) {
  const { promptFile, request } = options;
  const file = promptFile === undefined ? undefined : parsePromptFile(await readNamedFile("--prompt-file", promptFile));
  const given = request === undefined ? {} : await readNamedJson("--request", request);
  const built = buildRequest(provider, {
    base: { ...given, ...file?.request },
    prompt: options.prompt ?? file?.prompt,
    system: options.system ?? file?.system,
    model: options.model ?? file?.model,
    maxTokens: options.maxTokens ?? file?.maxTokens,
    isStream: options.stream ? undefined : false,
  });
  return { request: built, title: file?.title, subtitle: file?.subtitle };
}

async function recordAnswer(id: string, options: Options, io: CommandIo): Promise<void> {
  const { json = false, quiet = false, allowError = false, force = false } = options;
  const provider = requireProvider(options.provider);
  const { request, title, subtitle } = await readRequest(provider, options);
  const { model } = provider.readQuestion({ method: "POST", ...request });
  const { baseUrlVariable, baseUrl: official } = provider.upstream;
  const baseUrl = options.baseUrl ?? (baseUrlVariable && config()[baseUrlVariable]) ?? official;
  const headers = headersOf(provider, options);
  const apiKey = apiKeyFor(provider, baseUrl);
  const recorded = await withStopSignal((signal) => {
    const display = new RecordDisplay(io, { showsText: !json && !quiet, showsProgress: !quiet });
    return record(
      { clock: systemClock, signal, ...display.listeners },
      {
        id,
        title: options.title ?? title ?? titleOf(id),
        subtitle: options.subtitle ?? subtitle ?? `Recorded from ${model}`.slice(0, 300),
        provider,
        request,
        baseUrl,
        headers,
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
    .description("send a request to a model provider and store the answer as a cassette")
    .argument("<id>", "<folder>/<slug> of the new cassette", parseId)
    .addOption(new Option("--provider <name>", "protocol of the provider").choices(protocolNames).default("anthropic"))
    .addOption(new Option("--prompt <text>", "the prompt").conflicts("promptFile"))
    .option("--prompt-file <file>", "a file with the prompt; its front matter adds fields")
    .option("--request <file>", "a JSON file with the request, sent as it stands; with a prompt, fields to add")
    .option("--system <text>", "the system prompt")
    .option("--model <model>", "name of the model")
    .option("--max-tokens <number>", "maximum tokens of the answer (Anthropic: 1024)", parseCount)
    .option("--no-stream", "ask for the whole answer instead of a stream")
    .option("--header <name:value>", "a request header; can be repeated", parseHeader, {})
    .option("--beta <name>", "a beta feature; can be repeated", (name: string, names: string[]) => [...names, name], [])
    .option("--title <text>", "the cassette's title (default: from its id)", parseTitle)
    .option("--subtitle <text>", "a line below the title (default: the model)", parseSubtitle)
    .option("--base-url <url>", "the server (default: the provider's; its SDKs' variable, such as OPENAI_BASE_URL)")
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
