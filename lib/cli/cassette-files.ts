import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { commandLine } from "#lib/platform/command-line";
import { config } from "#lib/platform/config";
import { ImportError } from "#lib/replay/cassettes/import/index";
import {
  CassetteError,
  cassetteIdSchema,
  readStoredCassette,
  type VerifiedCassette,
  WriteError,
} from "#lib/replay/cassettes/index";
import { RecordError, RequestError } from "#lib/replay/cassettes/recorder/index";
import { CommandFailure, failed, interrupted, misused } from "./failure";

/** Kinds of errors after which the answer can be kept with --allow-error. */
const keepable = new Set(["provider", "stream-error", "cut"]);

/** Returns an error of the cassette verbs as a CommandFailure. Any other error is a bug and is returned unchanged. */
export function toCommandFailure(error: unknown): unknown {
  if (error instanceof RequestError) return new CommandFailure(`The request is not valid: ${error.message}.`, misused);
  if (error instanceof RecordError) {
    const hint = keepable.has(error.kind) ? " Use --allow-error to keep the answer as it is." : "";
    const exitCode = error.kind === "interrupted" ? interrupted : failed;
    return new CommandFailure(`${error.message} Nothing was written.${hint}`, exitCode);
  }
  if (error instanceof ImportError) return new CommandFailure(`${error.message}. Nothing was written.`);
  if (error instanceof WriteError || error instanceof CassetteError) return new CommandFailure(error.message);
  return error;
}

/** Reads a file named on the command line. Throws CommandFailure. */
export async function readNamedFile(option: string, path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw new CommandFailure(
      `${option} ${path}: ${isMissing ? "there is no such file" : (error as Error).message}.`,
      misused,
    );
  }
}

/** Reads a JSON object from a file named on the command line. Throws CommandFailure. */
export async function readNamedJson(option: string, path: string): Promise<Record<string, unknown>> {
  const text = await readNamedFile(option, path);
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === "object" && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw new CommandFailure(`${option} ${path}: not valid JSON: ${(error as Error).message}.`, misused);
  }
  throw new CommandFailure(`${option} ${path}: not a JSON object.`, misused);
}

/**
 * Reads and verifies a cassette, given as the path of a file or as `<folder>/<slug>` in the configured store.
 * Throws CommandFailure.
 */
export async function readCassetteArgument(argument: string): Promise<VerifiedCassette> {
  const isFile = existsSync(argument);
  if (!isFile && !cassetteIdSchema.safeParse(argument).success) {
    throw new CommandFailure(`${argument} is neither a file nor <folder>/<slug> of a cassette.`, misused);
  }
  try {
    const cassette = await readStoredCassette(argument, { isFile });
    if (cassette) return cassette;
  } catch (error) {
    if (error instanceof CassetteError) throw new CommandFailure(`${argument} ${error.message}`);
    throw error;
  }
  throw new CommandFailure(`There is no cassette ${argument}. ${commandLine("cassettes list")} shows all of them.`);
}

/** Returns the folder that cassettes are written to: `--out`, else the configured one. */
export function outputFolder(out: string | undefined): string {
  return resolve(out ?? config().CASSETTE_DIR);
}

/** Returns a path relative to the working directory if it is inside it, otherwise unchanged. */
export function shortPath(path: string): string {
  const relativePath = relative(process.cwd(), path);
  return relativePath === "" || relativePath.startsWith("..") ? path : relativePath;
}

/** Returns a readable size: `12.3 kB`. */
export function sizeText(byteSize: number): string {
  return byteSize < 1000 ? `${byteSize} bytes` : `${(byteSize / 1000).toFixed(1)} kB`;
}

/** Returns a title from the slug of an id: `Nda review`. */
export function titleOf(id: string): string {
  const words = (id.split("/")[1] ?? id).replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
