#!/usr/bin/env node
/**
 * Builds the package of the server: `npm run package:server`. It has the built app, the bundled command, and of other packages
 * the files that Next traced, so that an installation needs nothing else but PostgreSQL's programs.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { parseArgs } from "node:util";
import { licensesOf, pack, root } from "../../platform/published-package.mjs";
import { findBundle } from "../bootstrap/command-bundle.mjs";

const { values } = parseArgs({ options: { out: { type: "string" }, repository: { type: "string" } } });
const out = path.resolve(values.out ?? path.join(root, ".tapedeck", "package"));
const folder = path.join(out, "server");
/** What the clone's root is to the app and the command. Not the package's own, whose `node_modules` npm leaves out. */
const app = path.join(folder, "app");
const { optionalDependencies } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

execFileSync(process.execPath, ["lib/cli/tapedeck.mjs", "build", "--if-changed"], { cwd: root, stdio: "inherit" });

const buildFolder = path.join(root, ".next");
/** Files that no trace finds: they are loaded by a path that is made when the program runs. */
const untraced = [
  "node_modules/@prisma/schema-engine-wasm",
  "node_modules/pg-boss/package.json",
  "lib/cli/bootstrap/packaged.mjs",
  "lib/cli/bootstrap/require-node.mjs",
  "lib/replay/interception/hooks",
  "prisma/schema.prisma",
  "prisma/migrations",
  "public",
  ...readdirSync(buildFolder)
    .filter((name) => /^(BUILD_ID|server|static|.+\.json)$/.test(name))
    .map((name) => `.next/${name}`),
];
/** Traces have codecs of images, which no page has, and links between packages, which npm does not pack. */
const unneeded = /^node_modules\/(sharp|@img)\/|^\.next\/node_modules\/|\.(map|ts|nft\.json|development\.js)$/;
const isNeeded = (file) => !unneeded.test(file);

/** What only a build and the development server load. The runtimes of pages are in Next's own trace, as far as they are used. */
const forDevelopment =
  /next\/dist\/(compiled\/(next-server|webpack|babel|@babel)|server\/dev|build\/(webpack|babel|turbopack))/;

/** Returns the files, relative to the root, that our server loads, and those that Next traced for its own and for each route. */
async function tracedFiles() {
  const { nodeFileTrace } = createRequire(import.meta.url)("next/dist/compiled/@vercel/nft");
  const ignore = (file) => forDevelopment.test(file) || !isNeeded(file);
  const programs = ["server.mjs", "cluster.mjs"].map((name) => path.join(root, "lib/server/http", name));
  const { fileList } = await nodeFileTrace(programs, { base: root, ignore });
  const traces = readdirSync(buildFolder, { recursive: true, encoding: "utf8" });
  const fromBuild = traces
    .filter((name) => name.endsWith(".nft.json"))
    .flatMap((name) => {
      const trace = path.join(buildFolder, name);
      const { files } = JSON.parse(readFileSync(trace, "utf8"));
      return files.map((file) => path.relative(root, path.resolve(path.dirname(trace), file)).replaceAll("\\", "/"));
    });
  return new Set([...fileList, ...fromBuild]);
}

/** Next names packages by links such as `pg-587764f78a6c7a9c`. Lets the copied app name the packages themselves. */
function nameLinkedPackages() {
  const links = readdirSync(path.join(buildFolder, "node_modules"), { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => /-[0-9a-f]{16}$/.test(name));
  const server = path.join(app, ".next/server");
  for (const name of readdirSync(server, { recursive: true, encoding: "utf8" })) {
    if (!/\.m?js$/.test(name)) continue;
    const file = path.join(server, name);
    const text = readFileSync(file, "utf8");
    const named = links.reduce((code, link) => code.replaceAll(link, link.slice(0, link.lastIndexOf("-"))), text);
    if (named !== text) writeFileSync(file, named);
  }
}

rmSync(folder, { recursive: true, force: true });
for (const file of [...(await tracedFiles()), ...untraced]) {
  const source = path.join(root, file);
  // A trace also names files of Next that its packages do not have.
  if (!isNeeded(file) || !existsSync(source)) continue;
  const filter = (name) => isNeeded(path.relative(root, name).replaceAll("\\", "/"));
  cpSync(source, path.join(app, file), { recursive: true, filter });
}
nameLinkedPackages();
const settings = path.join(app, ".next/required-server-files.json");
writeFileSync(settings, readFileSync(settings, "utf8").replaceAll(JSON.stringify(root), '"."'));
cpSync(path.dirname(findBundle()), path.join(app, "lib/cli/bundle"), {
  recursive: true,
  filter: (name) => isNeeded(name) && path.basename(name) !== "compiled",
});
writeFileSync(path.join(app, "package.json"), '{ "private": true, "type": "module" }\n');
const { packages } = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8"));
const isProduction = ([name, { dev, optional }]) =>
  name !== "" && !dev && !optional && existsSync(path.join(root, name));
const productionFolders = Object.entries(packages)
  .filter(isProduction)
  .map(([name]) => name);
writeFileSync(path.join(folder, "LICENSES.md"), licensesOf(productionFolders));
copyFileSync(path.join(import.meta.dirname, "README.md"), path.join(folder, "README.md"));
pack(folder, {
  out,
  repository: values.repository,
  fields: {
    name: "@tapedeck/server",
    description:
      "Replays recorded LLM streams, and reports what vendors change: the server of Tapedeck, ready to start.",
    keywords: ["llm", "replay", "sse", "llms.txt", "mcp", "server"],
    type: "module",
    bin: { "tapedeck-server": "app/lib/cli/bootstrap/packaged.mjs" },
    files: ["app", "LICENSES.md"],
    optionalDependencies,
  },
});
