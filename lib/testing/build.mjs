#!/usr/bin/env node
/** Builds the package for test suites: `npm run package`. It has no dependencies, and works in ESM and CommonJS. */
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { pack, root } from "../platform/published-package.mjs";
import { bundle, writeLicenses } from "./bundle.mjs";

const { values } = parseArgs({
  options: { out: { type: "string" }, repository: { type: "string" }, meta: { type: "boolean" } },
});
const out = resolve(values.out ?? join(root, ".tapedeck", "package"));
const folder = join(out, "package");

/** Since Node.js 22, compiled code is kept in the folder for temporary files: a command then takes a tenth less time. */
const keepCompiled =
  'require("node:fs").existsSync(require("node:os").tmpdir())&&require("node:module").enableCompileCache?.();';
/** Entries beside the main one; each imports its test runner, which the user has. */
const runners = ["vitest", "jest", "node-test", "playwright"];
const entries = ["index", ...runners];

/**
 * What the command and the fixtures share is in the package once. `names` are the exports of the core: the build fails where
 * another one is imported.
 */
const proxyIsInCore = (names) => ({
  name: "proxy-is-in-core",
  setup(bundler) {
    const filter =
      /^#lib\/(platform\/(command-line|config)|models\/index|replay\/(cassettes|interception|playback|providers|recording-proxy)\/index)$/;
    const contents = `export const { ${names.join(", ")} } = require("./core.cjs");`;
    bundler.onResolve({ filter }, () => ({ path: "core", namespace: "core" }));
    bundler.onResolve({ filter: /^\.\/core\.cjs$/ }, ({ path }) => ({ path, external: true }));
    bundler.onLoad({ filter: /^core$/, namespace: "core" }, () => ({ contents }));
  },
});

/** Returns the declarations of an entry for CommonJS, to which those for ES modules refer. */
function declarations(entry) {
  const text = readFileSync(join(out, "types", `${entry}.d.ts`), "utf8");
  return text.replace(/from "\.\/([a-z-]+)"/g, (_, name) => `from "./${name}.${name === "types" ? "" : "c"}js"`);
}

for (const name of ["package", "types", "all-types"]) rmSync(join(out, name), { recursive: true, force: true });
mkdirSync(join(folder, "dist"), { recursive: true });

const inPackage = (file) => join(folder, "dist", file);
const core = await bundle("lib/testing/core.ts", inPackage("core.cjs"), {
  // Where the files are that are loaded into processes.
  define: { "import.meta.url": "moduleUrl" },
  banner: { js: 'const moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
});
// All but the core load the proxy from it, so that the package has it once.
const fromCore = { plugins: [proxyIsInCore(Object.keys(createRequire(import.meta.url)(inPackage("core.cjs"))))] };
cpSync(join(root, "lib/replay/interception/hooks"), inPackage("hooks"), { recursive: true });
for (const name of readdirSync(inPackage("hooks")).filter((file) => file.endsWith(".cjs")))
  await bundle(`lib/replay/interception/hooks/${name}`, inPackage(`hooks/${name}`), { bundle: false });
const forPython = inPackage("hooks/sitecustomize.py");
const shortened = readFileSync(forPython, "utf8")
  .replace(/^ *(?:#.*|""".*""")?\n/gm, "")
  .replace(/^ +/gm, (indent) => " ".repeat(indent.length / 4));
writeFileSync(forPython, shortened);
const index = await bundle("lib/testing/index.ts", inPackage("index.cjs"), fromCore);
const command = await bundle("lib/cli/testing-main.ts", inPackage("tapedeck.cjs"), {
  ...fromCore,
  banner: { js: `#!/usr/bin/env node\n"use strict";${keepCompiled}` },
});
for (const runner of runners) {
  for (const [format, ending] of [
    ["esm", "mjs"],
    ["cjs", "cjs"],
  ]) {
    const file = inPackage(`${runner}.${ending}`);
    await bundle(`lib/testing/${runner}.ts`, file, { bundle: false, format });
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/(["'])\.\/index\1/g, `"./index.${ending}"`));
  }
}
writeFileSync(
  join(folder, "dist/index.mjs"),
  'import index from "./index.cjs";\n\nexport const { currentMark, duplicateError, nameFile, requireRunner, startTape } = index;\n',
);

const sources = [...entries, "types", "jest-globals.d"].map((entry) => join("lib/testing", `${entry}.ts`));
execFileSync(
  process.execPath,
  [
    ...["node_modules/typescript/bin/tsc", ...sources],
    ...["--declaration", "--emitDeclarationOnly", "--outDir", join(out, "all-types"), "--ignoreConfig"],
    ...["--module", "esnext", "--moduleResolution", "bundler", "--target", "es2023", "--skipLibCheck", "--strict"],
    ...["--rootDir", ".", "--types", "node", "--singleThreaded"],
    // The test runners need not be installed.
    "--noCheck",
  ],
  { cwd: root, stdio: "inherit" },
);
mkdirSync(join(out, "types"));
for (const entry of [...entries, "types"]) {
  copyFileSync(join(out, "all-types", "lib/testing", `${entry}.d.ts`), join(out, "types", `${entry}.d.ts`));
  writeFileSync(join(folder, "dist", `${entry}.d.${entry === "types" ? "" : "c"}ts`), declarations(entry));
  if (entry !== "types") writeFileSync(join(folder, "dist", `${entry}.d.mts`), `export * from "./${entry}.cjs";\n`);
}

const exported = (entry) => ({
  import: { types: `./dist/${entry}.d.mts`, default: `./dist/${entry}.mjs` },
  require: { types: `./dist/${entry}.d.cts`, default: `./dist/${entry}.cjs` },
});
writeLicenses(join(folder, "LICENSES.md"), [core, index, command]);
copyFileSync(join(root, "content/models/NOTICE.md"), join(folder, "NOTICE.md"));
copyFileSync(join(root, "lib/testing/README.md"), join(folder, "README.md"));
pack(folder, {
  out,
  repository: values.repository,
  fields: {
    name: "@tapedeck/testing",
    description: "Records the model calls of a test suite once, and replays them byte for byte.",
    keywords: ["llm", "testing", "record", "replay", "mock", "vcr", "openai", "anthropic", "gemini", "vitest", "jest"],
    sideEffects: false,
    type: "commonjs",
    bin: { tapedeck: "dist/tapedeck.cjs" },
    main: "./dist/index.cjs",
    module: "./dist/index.mjs",
    types: "./dist/index.d.cts",
    exports: {
      ".": exported("index"),
      ...Object.fromEntries(runners.map((runner) => [`./${runner}`, exported(runner)])),
      "./package.json": "./package.json",
    },
    // For `moduleResolution: node`, which does not read `exports`.
    typesVersions: { "*": Object.fromEntries(runners.map((runner) => [runner, [`./dist/${runner}.d.cts`]])) },
    files: ["dist", "NOTICE.md", "LICENSES.md"],
    peerDependencies: { "@playwright/test": ">=1.40", vitest: ">=3" },
    peerDependenciesMeta: { "@playwright/test": { optional: true }, vitest: { optional: true } },
  },
});
rmSync(join(out, "types"), { recursive: true });
rmSync(join(out, "all-types"), { recursive: true });
if (values.meta) writeFileSync(join(out, "meta.json"), JSON.stringify(core.metafile));
