import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, resolve, sep } from "node:path";
import { commandLine } from "#lib/platform/command-line";
import {
  configFileName,
  findUnusedTapes,
  listTapeFolders,
  readConfig,
  readTapeFile,
  Tape,
  type TapeConfig,
  TapeError,
} from "#lib/replay/recording-proxy/index";
import { CommandFailure, failed, misused } from "./failure";

/** Runs a command's work. What is wrong with a tape or the configuration is a message without a stack. */
export async function explainingTapes<T>(work: () => Promise<T>, exitCode = failed): Promise<T> {
  return work().catch((error) => {
    throw error instanceof TapeError ? new CommandFailure(`${error.message}.`, exitCode) : error;
  });
}

/** What the folder of a project has. */
const projectFiles = [configFileName, "package.json", "pyproject.toml", ".git"];

/** Throws CommandFailure in a folder of a project whose tapes or configuration are further up: other tapes would be used. */
async function requireProjectFolder(tapes: string): Promise<void> {
  const isProject = (folder: string) => projectFiles.some((name) => existsSync(resolve(folder, name)));
  const here = process.cwd();
  let project = here;
  while (!isProject(project) && dirname(project) !== project) project = dirname(project);
  if (project === here || !isProject(project) || (await listTapeFolders(tapes)).length > 0) return;
  const hasTapes = (await listTapeFolders((await readConfig(project)).tapes)).length > 0;
  if (!hasTapes && !existsSync(resolve(project, configFileName))) return;
  const message = `This project keeps its tapes in ${project}. Start the command there, or name a folder with --tapes.`;
  throw new CommandFailure(message, misused);
}

/** Reads the configuration of this folder, with the folder of tapes of the command line. Throws TapeError and CommandFailure. */
export async function readTapeConfig(tapes: string | undefined): Promise<TapeConfig> {
  const config = await readConfig(process.cwd());
  if (tapes === undefined) await requireProjectFolder(config.tapes);
  return tapes === undefined ? config : { ...config, tapes: resolve(tapes) };
}

/** Throws CommandFailure if the folder of the tapes does not exist, which a command only reads. */
export async function requireTapes(tapes: string): Promise<void> {
  if (existsSync(tapes)) return;
  const unused = await findUnusedTapes(tapes);
  const others = unused
    ? `Those in ${unused.tapes} are not used here: start the command in ${unused.project}, or use --tapes ${unused.tapes}`
    : `Name another one with --tapes, or record tapes: ${commandLine("run -- <command>")}`;
  throw new CommandFailure(`There is no folder ${tapes} with tapes. ${others}`, misused);
}

/** Returns the folders of the tapes whose test has this name, or else this text in its name. */
export async function findTapes(name: string, tapes: string): Promise<string[]> {
  const known = await Promise.all(
    (await listTapeFolders(tapes)).map(async (folder) => ({
      folder,
      test: (await readTapeFile(folder, tapes))?.test ?? "",
    })),
  );
  const exact = known.filter(({ test }) => test === name);
  return (exact.length > 0 ? exact : known.filter(({ test }) => test.toLowerCase().includes(name.toLowerCase()))).map(
    ({ folder }) => folder,
  );
}

/** Returns the folder that links of a tape may not leave: that of all tapes, or one elsewhere that a person names. */
export function rootOf(path: string, tapes: string): string {
  return `${path}${sep}`.startsWith(`${tapes}${sep}`) ? tapes : path;
}

/** A tape, and the files of its recordings that are meant; null: all. */
export type NamedTape = { tape: Tape; files: Set<string> | null };

type OpenOptions = {
  volatile?: readonly string[];
  /** Gets the error of a tape that cannot be read. Default: it is thrown. */
  onUnreadable?: (error: unknown) => void;
};

/**
 * Opens the tapes that are named by a folder, the file of a recording, or a test; all without a name. Throws CommandFailure,
 * and TapeError.
 */
export async function openTapes(
  names: readonly string[],
  tapes: string,
  {
    volatile = [],
    onUnreadable = (error) => {
      throw error;
    },
  }: OpenOptions = {},
): Promise<NamedTape[]> {
  const opened = new Map<string, NamedTape>();
  for (const name of names.length > 0 ? names : [tapes]) {
    const path = resolve(name);
    const found = await stat(path).catch(() => null);
    if (!found) await requireTapes(tapes);
    const file = found?.isFile() ? basename(path) : null;
    const folder = file === null ? path : dirname(path);
    const below = found ? await listTapeFolders(folder) : await findTapes(name, tapes);
    const folders = file === null ? below : below.filter((each) => each === folder);
    if (folders.length === 0)
      throw new CommandFailure(`${name} has no tape. ${commandLine("show")} lists the tapes.`, misused);
    const root = found ? rootOf(folder, tapes) : tapes;
    for (const each of folders) {
      const known = opened.get(each);
      const files = file === null || known?.files === null ? null : new Set([...(known?.files ?? []), file]);
      const tape = known?.tape ?? (await Tape.open({ root, folder: each }, null, volatile).catch(onUnreadable));
      if (tape) opened.set(each, { tape, files });
    }
  }
  return [...opened.values()];
}
