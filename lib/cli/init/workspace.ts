import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

type Manifest = { workspaces?: string[] | { packages?: string[] } };

/** Returns the patterns of folders, such as `packages/*`, that a workspace names. */
function patternsOf(folder: string, { workspaces = [] }: Manifest): string[] {
  const file = join(folder, "pnpm-workspace.yaml");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const list = /^packages:\s*\n((?:[ \t]*-.*\n?)+)/m.exec(text)?.[1] ?? "";
  const listed = [...list.matchAll(/-\s*["']?([^"'\n#]+?)["']?\s*$/gm)].map(([, pattern = ""]) => pattern);
  return [...(Array.isArray(workspaces) ? workspaces : (workspaces.packages ?? [])), ...listed];
}

/** Returns the folders of a workspace's packages, from its own. Of patterns, those that end with `/*` are known. */
export function findPackages(folder: string, manifest: Manifest): string[] {
  const folders = patternsOf(folder, manifest).flatMap((pattern) => {
    const above = /^([^*!]+)\/\*{1,2}$/.exec(pattern)?.[1];
    if (above === undefined) return pattern.includes("*") ? [] : [pattern];
    const path = join(folder, above);
    return existsSync(path) ? readdirSync(path).map((name) => `${above}/${name}`) : [];
  });
  return folders.filter((each) => existsSync(join(folder, each, "package.json"))).sort();
}
