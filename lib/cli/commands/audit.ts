import { appendFileSync, existsSync } from "node:fs";
import { relative } from "node:path";
import { type Command, Option } from "commander";
import * as z from "zod";
import {
  ageWarning,
  bundledModels,
  dayOf,
  ModelCatalogue,
  modelListSchema,
  statedModelSchema,
} from "#lib/models/index";
import { childEnvironment } from "#lib/platform/config";
import { formatCount } from "#lib/platform/format-count";
import { dayMs } from "#lib/platform/time";
import { readRecordedCalls } from "#lib/replay/recording-proxy/index";
import { parseAge } from "../arguments";
import { auditLines } from "../audit/audit-text";
import { fetchServer, requireKnownKey } from "../audit/fetch-server";
import { type Finding, findModels, type HeaderFinding, isGone } from "../audit/findings";
import { githubAnnotations, githubSummary } from "../audit/github";
import { exceptionText, keepModels } from "../audit/keep-models";
import { findOperations, operationsOf } from "../audit/operations";
import { readCode } from "../audit/read-code";
import { subscribe } from "../audit/subscribe";
import { CommandFailure, misused, noAnswer } from "../failure";
import { type CommandIo, writeJson } from "../io";
import { explainingTapes, readTapeConfig, requireTapes } from "../tape-folders";

type Flags = {
  tapes?: string;
  code?: string[];
  failWithin?: number;
  json?: boolean;
  server?: string;
  subscribe?: string;
  format: "text" | "github";
};

/** What earlier servers return too. */
const catalogueSchema = modelListSchema.pick({ read: true }).extend({ models: z.array(statedModelSchema) });

/** Returns the catalogue of a server. Throws CommandFailure. */
async function fetchModels(server: string, now: Date): Promise<ModelCatalogue> {
  const response = await fetchServer({ server }, "/api/v1/models");
  const list = catalogueSchema.safeParse(response.ok ? await response.json().catch(() => undefined) : undefined);
  if (list.success) return new ModelCatalogue(list.data.models, list.data.read, dayOf(now));
  throw new CommandFailure(
    `${response.url} answered ${response.status} without a list of models. Without --server, the bundled catalogue is used.`,
    noAnswer,
  );
}

const help = `
Names are matched with a catalogue that is made of public sources. It is not the vendors' word, and a name that it does not have
is listed as not known. Clouds that serve a vendor's model may end it on another day.

Examples:
  tapedeck audit --code src --code .env
  tapedeck audit --fail-within 30d --format github
  TAPEDECK_KEY=ltf_… tapedeck audit --server https://tapedeck.example --subscribe <id>

Exit codes: 0 success, 1 a model has ended, ends within the days of --fail-within or is not found by its provider, or a recorded
Sunset header names such a day, except what keep_models in tapedeck.config.json keeps, 2 wrong usage, 3 the server did not answer,
or refused the key or the filter. If --subscribe fails, the code is 2 or 3, not 1.`;

async function audit(
  { tapes, code = [], failWithin, json, format, server, subscribe: id }: Flags,
  io: CommandIo,
): Promise<void> {
  const { GITHUB_STEP_SUMMARY: stepSummary, TAPEDECK_KEY: key } = childEnvironment();
  const now = new Date();
  if (id !== undefined && server === undefined)
    throw new CommandFailure("--subscribe needs the server that has the webhook or digest: --server.", misused);
  const config = await readTapeConfig(tapes);
  const { tapes: root } = config;
  if (tapes !== undefined || code.length === 0) await requireTapes(root);
  const missing = code.find((path) => !existsSync(path));
  if (missing !== undefined) throw new CommandFailure(`${missing} does not exist.`, misused);
  const catalogue = server === undefined ? bundledModels(now) : await fetchModels(server, now);
  if (server !== undefined && key) await requireKnownKey({ server, key });
  const recorded = existsSync(root) ? readRecordedCalls(root) : { tapes: 0, calls: [] };
  const calls = recorded.calls.map((call) => ({ ...call, file: relative(process.cwd(), call.file) }));
  const onTapes = new Set(calls.map(({ model }) => model));
  const isModel = (name: string) => catalogue.names.find(name) !== undefined;
  const sources = code.map((path) => readCode(path, onTapes, isModel));
  const fileCount = sources.reduce((sum, source) => sum + source.fileCount, 0);
  const found = findModels({ calls, code: sources.flatMap(({ names }) => names) }, catalogue, now);
  const { unused, ...findings } = keepModels(found, config, catalogue, dayOf(now));
  const warn = (message: string) => void io.stderr.write(`${message}\n`);
  for (const each of unused) warn(`keep_models: ${each.model}${exceptionText(each)} was not found.`);
  if (server !== undefined) findings.operations = await findOperations({ server, key }, calls, warn);

  const last = failWithin === undefined ? null : dayOf(new Date(now.getTime() + failWithin * dayMs));
  const isFailure = (finding: Finding) => {
    const { status, retired, is_kept: isKept } = finding;
    return (
      last !== null && !isKept && (status === "retired" || isGone(finding) || (retired !== null && retired <= last))
    );
  };
  const isDue = ({ header, day, is_kept: isKept }: HeaderFinding) =>
    last !== null && !isKept && header === "Sunset" && day !== null && day <= last;

  if (json) {
    const { models, headers, operations, unnamed } = findings;
    const counts = {
      tapes: recorded.tapes,
      recordings: calls.length,
      recordings_without_model: unnamed,
      code_files: fileCount,
    };
    writeJson(io, { day: dayOf(now), catalogue: { read: catalogue.read }, ...counts, models, headers, operations });
  } else {
    const annotations = format === "github" ? githubAnnotations(findings, { model: isFailure, header: isDue }) : [];
    const [summary = "", ...lines] = auditLines(findings);
    const read = code.length === 0 ? "" : ` Source files that were read: ${fileCount}.`;
    for (const line of [summary + read, ...lines, ...annotations]) io.stdout.write(`${line}\n`);
  }
  if (format === "github" && stepSummary) appendFileSync(stepSummary, githubSummary(findings));

  if (id !== undefined && server !== undefined) {
    const models = findings.models.map(({ provider, id: model, names }) =>
      provider ? `${provider}/${model}` : names[0],
    );
    const used = models.flatMap((name) => name ?? []);
    const operations = operationsOf(calls);
    const kind = await subscribe({ server, key, id, models: used, operations });
    const counts = `${formatCount(used.length, "model")} and ${formatCount(operations.length, "operation")}`;
    io.stderr.write(`The ${kind} ${id} receives the changes of ${counts} now.\n`);
  }

  const warning = ageWarning(catalogue, now);
  if (warning)
    io.stderr.write(
      `${warning} ${server === undefined ? "A newer package or --server may know more." : "The server's data is old."}\n`,
    );
  const failures = findings.models.filter(isFailure).length + findings.headers.filter(isDue).length;
  if (failures > 0)
    throw new CommandFailure(`${formatCount(failures, "finding")} within ${formatCount(failWithin ?? 0, "day")}.`);
}

export function addAuditCommand(program: Command, io: CommandIo): void {
  program
    .command("audit")
    .description("list the models that tapes and code use, with their ends and successors")
    .option("--tapes <dir>", "folder of the tapes (default: tapes, or that of tapedeck.config.json)")
    .option("--code <paths...>", "also folders and files of source, configuration or .env")
    .option(
      "--fail-within <days>",
      "exit with 1 if a model has ended or a model or Sunset header ends within these days, such as 30d",
      parseAge,
    )
    .option("--server <url>", "use the catalogue of this server, and say which operations changed")
    .option(
      "--subscribe <id>",
      "let a webhook or digest of the server receive the changes of these models and operations only",
    )
    .option("--json", "print JSON")
    .addOption(
      new Option("--format <format>", "github: also annotations and a job summary")
        .choices(["text", "github"])
        .default("text"),
    )
    .addHelpText("after", help)
    .action((flags: Flags) => explainingTapes(() => audit(flags, io)));
}
