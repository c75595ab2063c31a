import { existsSync, type Stats, unwatchFile, watchFile } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import * as z from "zod";
import { describeIssue, unknownKeyMessage } from "#lib/platform/describe-issue";
import { providerNames } from "#lib/replay/providers/index";
import { answersSchema, type HandWritten } from "./answers";
import { hostSchema } from "./host-schema";
import type { CallFault } from "./proxy-faults";
import { isCredential, minAllowLength, minRedactLength } from "./read-request";
import type { RunPlace } from "./run-place";
import { TapeError } from "./tape-error";
import { listTapeFolders, parseTapeJson, volatileSchema } from "./tape-file";

export const configFileName = "tapedeck.config.json";
const configPollMs = 1_000;
/** Where the tapes are that no configuration places. */
export const defaultTapes = "tapes";

export const modes = ["auto", "replay", "record", "live"] as const;
/**
 * `auto` records what the tape lacks; `replay` calls no model; `record` replaces a test's tape when the test has
 * passed; `live` passes everything through.
 */
export type Mode = (typeof modes)[number];

export function isPlaying(mode: Mode): boolean {
  return mode === "auto" || mode === "replay";
}

export const matchings = ["request", "results", "order"] as const;
/**
 * `request` compares requests without what tools returned if that is all that differs; `results` with it; `order` their
 * method and URL, and plays the recordings of one in their order.
 */
export type Matching = (typeof matchings)[number];

/** Which recordings are played again once all that match have been played: none, those without an error, or all. */
export type Repeats = "none" | "complete" | "all";

/** Name of the tape of requests whose URL names no test. */
export const defaultTest = "default";

/** What the proxy and a test set for the test. */
export type SessionOptions = {
  mode: Mode;
  /** Playback speed: 1 is as recorded, Infinity without delays. */
  speed: number;
  volatile: readonly string[];
  volatileText: readonly RegExp[];
  /** Lower-case names. */
  comparedHeaders: readonly string[];
  /** Where the run was started. */
  place: Omit<RunPlace, "day">;
  secrets: readonly string[];
  allowed: readonly string[];
  isExact: boolean;
  matching: Matching;
  repeats: Repeats;
  faults: readonly CallFault[];
  /** Hand-written answers: those of the test, and those of all tests, which come after. */
  answers: { own: readonly HandWritten[]; shared: readonly HandWritten[] };
  maxAgeDays: number | undefined;
  /** The command that records what is missed. */
  recordCommand: string;
  /** In mode `record`, whether the tapes of tests that fail are replaced too. */
  keepsFailed: boolean;
  /** Gets what the developer has to know at once. */
  tell?: ((text: string) => void) | undefined;
};

const headerSchema = z
  .string()
  .toLowerCase()
  .regex(/^[\w-]{1,100}$/, "must be the name of a header")
  .refine((name) => !isCredential(name), "has a credential, which is never stored");

const expressionSchema = z
  .string()
  .max(500)
  .superRefine((source, { addIssue }) => {
    try {
      if (new RegExp(source, "u").test("")) addIssue("must not match an empty text");
    } catch (error) {
      addIssue(`must be a regular expression: ${(error as Error).message}`);
    }
  });

export const speedSettingSchema = z.union([z.literal("max"), z.literal("recorded"), z.number().min(0.1).max(100)], {
  error: 'must be "max", "recorded" or a number from 0.1 to 100',
});

export const originSchema = z
  .string()
  .refine(
    (text) => URL.canParse(text) && new URL(text).origin === text,
    "must be an origin such as http://localhost:5173",
  );

const configSchema = z.strictObject({
  $schema: z.string().optional(),
  /** Folder of the tapes, relative to the file. It counts for commands in the folder of the file. */
  tapes: z.string().min(1).default(defaultTapes),
  /** Further servers by their name at the proxy. */
  upstreams: z
    .record(
      z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, "must be lower-case letters, digits and hyphens"),
      z.strictObject({ url: z.url(), provider: z.enum(providerNames) }),
    )
    .default({}),
  /** Hosts that answer calls, besides those of known providers; `*` stands for any part of a name. */
  hosts: z.array(hostSchema).max(100).default([]),
  /** Other servers to ask in place of hosts: URLs by host. */
  addresses: z
    .record(
      z
        .string()
        .regex(/^[a-z0-9.[\]:-]+$/, "must be a host such as api.example.com, or host:port, without * and https://"),
      z
        .url({ protocol: /^https?$/, error: "must be a URL such as http://127.0.0.1:4010", abort: true })
        .refine((url) => new URL(url).pathname === "/", "must have no path: that of each request is kept"),
    )
    .default({}),
  /** Origins of web pages that may send requests. */
  origins: z.array(originSchema).max(100).default([]),
  /** Fields of requests that are not compared in any test. */
  volatile: z.array(volatileSchema).max(100).default([]),
  /** Regular expressions of texts that differ from run to run, besides times, UUIDs and temporary paths. */
  volatile_text: z.array(expressionSchema).max(100).default([]),
  /** Headers of requests that are stored and compared, besides those that select the answer. */
  compare_headers: z.array(headerSchema).max(100).default([]),
  /** Texts that are replaced by asterisks wherever they occur, besides what looks like a secret. */
  redact: z.array(z.string().min(minRedactLength)).max(100).default([]),
  /** Texts that are no secrets, although they look like one. */
  allow: z.array(z.string().min(minAllowLength)).max(100).default([]),
  speed: speedSettingSchema.default("max"),
  /** Days after which a recording is reported as old. */
  max_age: z.number().positive().optional(),
  /** Models that the audit does not fail for, `in` code files or tests where `*` stands for any part, until a day. */
  keep_models: z
    .array(
      z.strictObject({
        model: z.string().min(1).max(200),
        in: z.string().min(1).max(500).optional(),
        until: z.iso.date().optional(),
        reason: z.string().min(1).max(500),
      }),
    )
    .max(200)
    .default([]),
  /** Whether only requests match that are exactly equal. */
  exact: z.boolean().default(false),
  /** What recordings are chosen by. Without it, `request`, which `--complete` does not let pass. */
  match: z.enum(matchings).optional(),
  /** Hand-written answers of all tests, after a test's own. */
  answers: answersSchema.default([]),
  /** Whether the last recording of a request is played again once all have been played. */
  repeat: z.boolean().default(false),
});
export type TapeConfig = z.infer<typeof configSchema> & {
  /** The file that was read; null without one. */
  file: string | null;
};

/** Returns a folder and those above it: up to that of its git repository, or all outside of one. */
function foldersUpwards(start: string): string[] {
  const isLast = existsSync(join(start, ".git")) || start === dirname(start);
  return [start, ...(isLast ? [] : foldersUpwards(dirname(start)))];
}

/** Returns a folder and those above it in its git repository; without one, the folder alone. */
export function foldersOfRepository(start: string): string[] {
  const folders = foldersUpwards(start);
  return existsSync(join(folders.at(-1) as string, ".git")) ? folders : [start];
}

/** Returns the nearest file of a configuration in a folder or above it, in its repository; null without one. */
export function findConfig(start: string): string | null {
  const files = foldersUpwards(start).map((folder) => join(folder, configFileName));
  return files.find((file) => existsSync(file)) ?? null;
}

async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, "utf8").catch((cause) => {
    throw new TapeError(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  });
  return parseTapeJson(text, file);
}

/**
 * Reads the nearest `tapedeck.config.json` of a folder or above it; without one, the defaults. The tapes are in the folder
 * itself: of a file above it, the setting `tapes` does not count. Throws TapeError.
 */
export async function readConfig(folder: string): Promise<TapeConfig> {
  const file = findConfig(folder);
  const result = configSchema.safeParse(file === null ? {} : await readJson(file), { error: unknownKeyMessage });
  if (!result.success) throw new TapeError(`${file}: ${describeIssue(result.error)}`);
  const tapes = file === join(folder, configFileName) ? result.data.tapes : defaultTapes;
  return { ...result.data, tapes: resolve(folder, tapes), file };
}

/** Reports changes of the configuration file, which is not read again. Returns a function that ends this. */
export function watchConfig({ file }: TapeConfig, tell?: (text: string) => void): () => void {
  if (file === null || !tell) return () => undefined;
  const compare = (now: Stats, before: Stats) => {
    if (now.mtimeMs !== before.mtimeMs) tell(`${configFileName} has changed. Start the command again to use it.`);
  };
  watchFile(file, { persistent: false, interval: configPollMs }, compare);
  return () => unwatchFile(file, compare);
}

/** Returns the tapes beside a configuration further up, which this folder does not use although it has none; null without any. */
export async function findUnusedTapes(tapes: string): Promise<{ tapes: string; project: string } | null> {
  const here = process.cwd();
  const own = await readConfig(here);
  const project = own.file === null ? here : dirname(own.file);
  if (project === here || own.tapes !== tapes || (await listTapeFolders(tapes)).length > 0) return null;
  const above = (await readConfig(project)).tapes;
  if (above === tapes || (await listTapeFolders(above)).length === 0) return null;
  return { tapes: relative(here, above), project: relative(here, project) };
}
