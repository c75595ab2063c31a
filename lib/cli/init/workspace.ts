import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { readYaml } from "#lib/replay/recording-proxy/index";
import { CommandFailure, misused } from "../failure";

/** The member of a `package.json` that lists a workspace's packages. */
export type WorkspaceList = { workspaces?: string[] | { packages?: string[] } | null };

/** Returns the patterns of packages of pnpm. Throws CommandFailure. */
function pnpmPatterns(folder: string): string[] {
  const name = "pnpm-workspace.yaml";
  if (!existsSync(join(folder, name))) return [];
  try {
    const content = readYaml(readFileSync(join(folder, name), "utf8")) as { packages?: string[] } | null;
    return content?.packages ?? [];
  } catch (error) {
    throw new CommandFailure(`${name} cannot be read: ${(error as Error).message}`, misused);
  }
}

/** Returns the patterns of folders, such as `packages/*`, that a workspace names. */
function patternsOf(folder: string, { workspaces }: WorkspaceList): string[] {
  const ofNpm = Array.isArray(workspaces) ? workspaces : workspaces?.packages;
  return [...(ofNpm ?? []), ...pnpmPatterns(folder)];
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Returns the folders of a workspace's packages, from its own. Of patterns, those that end with `/*` are known. */
export function findPackages(folder: string, manifest: WorkspaceList): string[] {
  const folders = patternsOf(folder, manifest).flatMap((pattern) => {
    const above = /^([^*!]+)\/\*{1,2}$/.exec(pattern)?.[1];
    if (above === undefined) return pattern.includes("*") ? [] : [pattern];
    const path = join(folder, above);
    return isFolder(path) ? readdirSync(path).map((name) => `${above}/${name}`) : [];
  });
  return folders.filter((each) => existsSync(join(folder, each, "package.json"))).sort();
}
