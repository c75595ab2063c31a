import { basename, resolve } from "node:path";
import { commandLine } from "#lib/platform/command-line";
import { parseUrl } from "#lib/platform/parse-url";
import {
  type Capture,
  cassetteSchema,
  findExcess,
  generateTimes,
  ImportError,
  parseJson,
  readCaptureFile,
  splitEvents,
  WriteError,
} from "#lib/replay/cassettes/index";
import { findModelHost } from "#lib/replay/interception/index";
import { framingOf, http, providers } from "#lib/replay/providers/index";
import type { TapeConfig } from "../config";
import { credentialsOf, keysOf, readRequest } from "../read-request";
import type { Origin } from "../seal-exchange";
import { nameRedactions, storeExchange, withContentType } from "../store-exchange";
import { Tape } from "../tape";
import { TapeError } from "../tape-error";
import { placeTape } from "../tape-place";
import { findPlace, providerAt, type Upstream, upstreamsOf } from "../upstreams";
import { describeOther, describeUnknown, emptyReport, type ImportReport, leaveOut } from "./import-report";
import { readHar } from "./read-har";
import { readVcr } from "./read-vcr";
import type { SourceExchange, Timed, UnreadableExchange } from "./source-exchange";
import { decodeBody, type FoundFile, findSourceFiles, tapeNameOf } from "./source-files";

export const importTools = ["vcr", "har", "aimock"] as const;
export type ImportTool = (typeof importTools)[number];

/**
 * Refuses a file of aimock, whose fixtures have no whole requests: its recorder keeps the last user message, the model and the
 * number of the turn, and its journal keeps requests translated to one format. Throws ImportError.
 */
function refuseAimock(capture: Capture): never {
  const { fixtures } = (parseJson(capture) ?? {}) as { fixtures?: unknown };
  if (!Array.isArray(fixtures))
    throw new ImportError(capture.file, "is not an aimock fixture file: it has no list of fixtures");
  throw new ImportError(
    capture.file,
    `its fixtures (${fixtures.length}) cannot become recordings: of a request, aimock keeps the last user message and the model, but not the system prompt, the history and the tools. Record these tests again: ${commandLine("run -- <command>")}`,
  );
}

type Reader = {
  ending: RegExp;
  read: (capture: Capture) => (SourceExchange | UnreadableExchange)[];
  /** Whether its files also have requests that are nobody's in a test, such as those of a web page for its images. */
  isMixed: boolean;
};
const readers: Record<ImportTool, Reader> = {
  vcr: { ending: /\.(?:ya?ml|json)$/i, read: readVcr, isMixed: false },
  har: { ending: /\.har$/i, read: readHar, isMixed: true },
  aimock: { ending: /\.json$/i, read: refuseAimock, isMixed: false },
};

export type ImportOptions = {
  tool: ImportTool;
  /** Files, and folders with files. */
  paths: readonly string[];
  /** Name of the tape of all files; default: one for each file. */
  test: string | undefined;
  isDryRun: boolean;
  config: TapeConfig;
  environment: Readonly<Record<string, string | undefined>>;
  /** Folder of the project, where the paths of tests begin. */
  project: string;
  now: () => Date;
};

const methods: ReadonlySet<string> = new Set(cassetteSchema.shape.request.shape.method.options);

class Import {
  readonly #options: ImportOptions;
  readonly #upstreams: readonly Upstream[];
  readonly #secrets: readonly string[];
  /** Tapes that stay open, so that what a file adds does not count as recorded before. */
  readonly #tapes = new Map<string, { tape: Tape; file: string }>();

  constructor(options: ImportOptions) {
    const { config, environment } = options;
    this.#options = options;
    // The providers' own servers count too where a variable names another one.
    this.#upstreams = [...upstreamsOf(config.upstreams, environment), ...upstreamsOf({}, {})];
    const keys = providers.flatMap(({ upstream }) => upstream.keyVariables.map((name) => environment[name] ?? ""));
    this.#secrets = [...config.redact, ...keysOf(keys)];
  }

  async read({ file, given }: FoundFile): Promise<ImportReport> {
    const { tool, project } = this.#options;
    const test = this.#options.test ?? tapeNameOf(resolve(file), resolve(given), project);
    const report = emptyReport(file, test);
    try {
      const exchanges = readers[tool].read(await readCaptureFile(file));
      const tape = await this.#open(test, file);
      for (const exchange of exchanges) {
        if (!("unreadable" in exchange)) await this.#add(exchange, tape, report);
        else report.problems.push(`${file}: ${exchange.place}: ${exchange.unreadable}. It was left out`);
      }
    } catch (error) {
      if (!(error instanceof ImportError || error instanceof TapeError || error instanceof WriteError)) throw error;
      report.problems.push(error instanceof ImportError ? error.message : `${file}: ${error.message}`);
    }
    return report;
  }

  async #open(test: string, file: string): Promise<Tape> {
    const known = this.#tapes.get(test);
    if (known && this.#options.test === undefined)
      throw new ImportError(file, `its tape "${test}" is also that of ${known.file}. Name one with --test`);
    const { tapes, volatile } = this.#options.config;
    const others = [...this.#tapes.values()].map(({ tape }) => tape.folder);
    const place = { root: tapes, folder: placeTape(tapes, test, others) };
    const tape = known?.tape ?? (await Tape.open(place, test, volatile));
    if (!known) this.#tapes.set(test, { tape, file });
    return tape;
  }

  async #add(exchange: SourceExchange, tape: Tape, report: ImportReport): Promise<void> {
    const { method, requestHeaders: headers, requestBody: body } = exchange;
    const url = parseUrl(exchange.url);
    const { hosts } = this.#options.config;
    const found = url && methods.has(method) ? findPlace(this.#upstreams, hosts, { method, url }) : undefined;
    if (!url || !found) return leaveOut(report, `${exchange.place}: ${describeUnknown(exchange, url)}`);
    const { upstream, path, query } = found;
    const provider = providerAt(upstream, { method, path });
    const model = upstream.host === undefined ? undefined : findModelHost(upstream.host, hosts);
    const isUnlisted = upstream.host !== undefined && !model && provider === http;
    if (model?.other?.test(path) || (isUnlisted && readers[this.#options.tool].isMixed))
      return leaveOut(report, `${exchange.place}: ${describeOther(exchange, url, model !== undefined)}`);
    const secrets = [...this.#secrets, ...credentialsOf({ headers, query })];
    const {
      asked,
      redactions,
      problem: unread,
    } = readRequest({ method, host: url.host, path, query, headers, body }, secrets);
    asked.sentAt = exchange.recordedAt?.toISOString();
    const known = await tape.find(provider, asked, { isExact: true, isTaken: true });
    if (known.kind === "match") {
      report.known += 1;
      return;
    }
    const { content, problem } = await decode(exchange);
    const whole = { status: exchange.status, headers: exchange.headers, chunks: [{ deltaMs: 0, bytes: content }] };
    const answer = withContentType(provider, asked, whole);
    const contentType = answer.headers["content-type"];
    const times: Timed = exchange.time?.(content, provider, contentType) ?? {
      chunks: generateTimes(splitEvents(content, framingOf(contentType)), provider),
      timing: "synthetic",
      boundary: "sse-event",
    };
    const excess = findExcess(times.chunks);
    const { stored, notes } = await storeExchange(
      tape,
      {
        provider,
        request: asked,
        redactions,
        secrets,
        answer: { ...answer, chunks: times.chunks.filter(({ bytes }) => bytes.length > 0) },
        problem: unread ?? problem ?? (excess && `it ${excess}`),
        origin: this.#origin(exchange, times, { file: report.file, baseUrl: url.origin }),
        recordedAt: exchange.recordedAt ?? this.#options.now(),
      },
      { isDryRun: this.#options.isDryRun },
    );
    const omitted = exchange.omittedHeaders.map(
      (name) => `The header ${name} of the answer is no text and was left out.`,
    );
    for (const note of [...notes, ...omitted]) report.notes.push(`${exchange.place}: ${note}`);
    if (!stored) report.leftOut += 1;
    else {
      report.imported += 1;
      if (exchange.recordedAt === null) report.undated += 1;
      report.redactions += stored.cassette.request.redactions.length;
      report.redacted = nameRedactions(report.redacted, report.test, stored);
    }
  }

  #origin(exchange: SourceExchange, { timing, boundary }: Timed, at: { file: string; baseUrl: string }): Origin {
    return {
      kind: "imported",
      timing,
      clock: "none",
      boundary,
      source: {
        base_url: at.baseUrl,
        format: this.#options.tool,
        file: basename(at.file).slice(0, 500),
        entry: exchange.place,
        rebuilt: exchange.isRebuilt,
        ...(exchange.recordedAt === null && { dated: false }),
      },
    };
  }
}

async function decode({ body, headers, problem }: SourceExchange): Promise<{ content: Buffer; problem?: string }> {
  if (problem !== undefined) return { content: Buffer.alloc(0), problem };
  try {
    return { content: await decodeBody(body, headers["content-encoding"]) };
  } catch (error) {
    return { content: Buffer.alloc(0), problem: (error as Error).message };
  }
}

/** Imports recordings of another tool as tapes. A file that cannot be imported does not keep the others from it. */
export async function importTapes(options: ImportOptions): Promise<ImportReport[]> {
  const importer = new Import(options);
  const reports: ImportReport[] = [];
  for (const path of options.paths) {
    const files = await findSourceFiles(path, readers[options.tool].ending).catch((error: Error) => error);
    if (Array.isArray(files)) for (const file of files) reports.push(await importer.read(file));
    else if (!(files instanceof ImportError)) throw files;
    else reports.push({ ...emptyReport(path, ""), problems: [files.message] });
  }
  return reports;
}
