import { readFile } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import { config } from "#lib/platform/config";
import { cassetteIdSchema } from "#lib/replay/cassettes/index";
import { CommandFailure, misused } from "./failure";

/** Reads `<vertical>/<slug>` from the command line. */
export function parseId(text: string): string {
  const result = cassetteIdSchema.safeParse(text);
  if (result.success) return result.data;
  throw new InvalidArgumentError(`It ${result.error.issues[0]?.message}.`);
}

/** Reads a whole number of at least 1. */
export function parseCount(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError("It must be a whole number of at least 1.");
}

/** Reads milliseconds. */
export function parseDelayMs(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= 0 && value <= 600_000) return value;
  throw new InvalidArgumentError("It must be milliseconds from 0 to 600000.");
}

/** Checks what a cassette shows of itself. */
export function parseText(maxLength: number): (text: string) => string {
  return (text) => {
    if (text.length <= maxLength) return text;
    throw new InvalidArgumentError(`It has ${text.length} characters; at most ${maxLength} are kept.`);
  };
}
export const parseTitle = parseText(200);
export const parseSubtitle = parseText(300);

/** `nda-review` as a person would write it. */
export function titleOf(id: string): string {
  const words = (id.split("/")[1] ?? id).replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Reads a file that the command line names. Throws CommandFailure. */
export async function readNamedFile(option: string, path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw new CommandFailure(
      `${option} ${path}: ${missing ? "there is no such file" : (error as Error).message}.`,
      misused,
    );
  }
}

/** Reads a JSON object from a file that the command line names. Throws CommandFailure. */
export async function readNamedJson(option: string, path: string): Promise<Record<string, unknown>> {
  const text = await readNamedFile(option, path);
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === "object" && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw new CommandFailure(`${option} ${path}: is not valid JSON: ${(error as Error).message}.`, misused);
  }
  throw new CommandFailure(`${option} ${path}: is no JSON object.`, misused);
}

/** Where cassettes are written: `--out`, else the configured folder. */
export function outputFolder(out: string | undefined): string {
  return resolve(out ?? config().CASSETTE_DIR);
}

/** A path as one would type it here. */
export function shortPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near === "" || near.startsWith("..") ? path : near;
}

/** `12.3 kB`. */
export function sizeText(byteSize: number): string {
  return byteSize < 1000 ? `${byteSize} bytes` : `${(byteSize / 1000).toFixed(1)} kB`;
}
