import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { tapeFileName } from "#lib/replay/cassettes/index";

export const configFileName = "tapedeck.config.json";

/** Where the tapes are that no configuration places. */
export const defaultTapes = "tapes";

/** Name of the tape of requests whose URL names no test. */
export const defaultTest = "default";

export type ConfigPlace = {
  /** Folder of the configuration; that of the run without one. */
  folder: string;
  /** Folder from which tests are named. */
  root: string;
  /** Name of the tape of requests whose URL names no test: packages that share a folder of tapes have their own. */
  sharedTest: string;
};

/** Whether a name is that of a tape of requests whose URL names no test. */
export function isSharedTest(test: string): boolean {
  return test === defaultTest || (test.endsWith(`/${defaultTest}`) && !/ > |::/.test(test));
}

function isWorkspace(folder: string): boolean {
  if (existsSync(join(folder, "pnpm-workspace.yaml")) || existsSync(join(folder, "turbo.json"))) return true;
  const manifest = join(folder, "package.json");
  return existsSync(manifest) && /"workspaces"\s*:/.test(readFileSync(manifest, "utf8"));
}

/** Returns a folder and those above it, up to that of its repository, or else of its workspace; without both, it alone. */
function foldersUpwards(start: string): string[] {
  const folders = [start];
  for (let folder = start; folder !== dirname(folder); folder = dirname(folder)) folders.push(dirname(folder));
  const repository = folders.findIndex((folder) => existsSync(join(folder, ".git")));
  const last = repository >= 0 ? repository : folders.findLastIndex(isWorkspace);
  return folders.slice(0, Math.max(last, 0) + 1);
}

function hasTapes(folder: string): boolean {
  try {
    return readdirSync(folder, { recursive: true }).some((path) => `${sep}${path}`.endsWith(sep + tapeFileName));
  } catch {
    return false;
  }
}

/** Returns where the configuration of a folder is: the nearest one upwards. Tapes that the folder has already stay its own. */
export function locateConfig(start: string): ConfigPlace {
  const folder = foldersUpwards(start).find((each) => existsSync(join(each, configFileName))) ?? start;
  const root = folder === start || hasTapes(join(start, defaultTapes)) ? start : folder;
  const sharedTest = [...relative(root, start).split(sep).filter(Boolean), defaultTest].join("/");
  return { folder, root, sharedTest };
}
