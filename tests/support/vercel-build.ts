import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { childEnvironment } from "#lib/platform/config";

const root = resolve(import.meta.dirname, "../..");
/** The newest version of Vercel's command line of which all packages can be installed, and a Node.js that it supports. */
const packages = ["-p", "node@22", "-p", "vercel@60.1.3"];
const buildTimeoutMs = 900_000;
/** What a checkout does not contain. */
const leftOut = new Set(["node_modules", ".next", ".git", ".tapedeck", ".vercel", "prisma/generated"]);

/** One function of a build, which serves several paths. */
export type VercelFunction = {
  /** Paths that it serves, such as `vendors/[slug]`, sorted. */
  paths: string[];
  /** Its files: the path in the function, and the file that Vercel would upload. */
  files: ReadonlyMap<string, string>;
  byteSize: number;
  /** Seconds; undefined for Vercel's default. */
  maxDuration: number | undefined;
  /** Copies its files, and nothing else, to a new folder. */
  copyTo(folder: string): void;
};

export type VercelBuild = {
  functions: VercelFunction[];
  /** Content of `.vercel/output/config.json`. */
  config: { crons: { path: string; schedule: string }[] };
  /** Returns the function that serves a path. Throws if none does. */
  functionOf(path: string): VercelFunction;
  remove(): void;
};

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((file) => !lstatSync(file).isDirectory());
}

function copyFile(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  if (lstatSync(from).isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else copyFileSync(from, to);
}

/** Size of a file; 0 for links, whose targets are listed themselves. */
function sizeOf(file: string): number {
  return lstatSync(file).isSymbolicLink() ? 0 : statSync(file).size;
}

function readFunction(project: string, folder: string, paths: string[]): VercelFunction {
  const { filePathMap = {}, maxDuration } = JSON.parse(readFileSync(join(folder, ".vc-config.json"), "utf8"));
  const files = new Map(filesBelow(folder).map((file) => [relative(folder, file), file]));
  for (const [name, file] of Object.entries<string>(filePathMap)) files.set(name, join(project, file));
  const byteSize = [...files.values()].reduce((sum, file) => sum + sizeOf(file), 0);
  const copyTo = (target: string) => {
    for (const [name, file] of files) copyFile(file, join(target, name));
  };
  return { paths: paths.sort(), files, byteSize, maxDuration, copyTo };
}

/** Returns the functions of a build. Folders of further paths of a function are links to its folder. */
function readFunctions(project: string): VercelFunction[] {
  const output = join(project, ".vercel/output/functions");
  const pathsByFolder = new Map<string, string[]>();
  for (const name of readdirSync(output, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".func")) continue;
    const folder = realpathSync(join(output, name));
    pathsByFolder.set(folder, [...(pathsByFolder.get(folder) ?? []), name.replace(/\.func$/, "")]);
  }
  return [...pathsByFolder].map(([folder, paths]) => readFunction(project, folder, paths));
}

/** Runs `vercel build` on a copy of this checkout, with its own installation of the packages. Throws if it fails. */
export function buildForVercel(): VercelBuild {
  const project = realpathSync(mkdtempSync(join(tmpdir(), "tapedeck-vercel-")));
  const remove = () => rmSync(project, { recursive: true, force: true });
  try {
    cpSync(root, project, {
      recursive: true,
      filter: (file) => !leftOut.has(relative(root, file).replaceAll("\\", "/")) && basename(file) !== "__pycache__",
    });
    mkdirSync(join(project, ".vercel"));
    const link = { projectId: "prj_test", orgId: "team_test", settings: { framework: "nextjs" } };
    writeFileSync(join(project, ".vercel/project.json"), JSON.stringify(link));
    const { status, stdout, stderr } = spawnSync("npx", ["-y", ...packages, "vercel", "build", "--yes"], {
      cwd: project,
      encoding: "utf8",
      timeout: buildTimeoutMs,
      env: childEnvironment({
        // Vitest's own, which the build would use.
        NODE_ENV: undefined,
        BASE_URL: undefined,
        DATABASE_URL: undefined,
        VITEST: undefined,
        VERCEL_TELEMETRY_DISABLED: "1",
        NEXT_TELEMETRY_DISABLED: "1",
        npm_config_prefer_offline: "true",
      }),
    });
    if (status !== 0) throw new Error(`vercel build failed with ${status}:\n${stdout}\n${stderr}`);
    const functions = readFunctions(project);
    const functionOf = (path: string) => {
      const found = functions.find(({ paths }) => paths.includes(path));
      if (!found) throw new Error(`No function serves ${path}.`);
      return found;
    };
    const config = JSON.parse(readFileSync(join(project, ".vercel/output/config.json"), "utf8"));
    return { functions, config, functionOf, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
