#!/usr/bin/env node
/** Builds the package for test suites: `npm run package`. It has no dependencies, and works in ESM and CommonJS. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const { build } = await import("esbuild").catch(() => {
  process.stderr.write("A package that the build needs is not installed. Run npm ci first.\n");
  process.exit(1);
});
const root = resolve(import.meta.dirname, "../..");
const { values } = parseArgs({ options: { out: { type: "string" }, meta: { type: "boolean" } } });
const out = resolve(values.out ?? join(root, ".tapedeck", "package"));
const folder = join(out, "package");
const { version, license, engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const name = "@tapedeck/testing";
/** Entries beside the main one; each imports its test runner, which the user has. */
const runners = ["vitest", "jest", "node-test", "playwright"];
const entries = ["index", ...runners];

/** Leaves out whatever is imported but not used: our modules do nothing when they are loaded. */
const ownModulesAreFreeOfEffects = {
  name: "own-modules",
  setup(bundler) {
    bundler.onResolve({ filter: /^(#lib\/|\.)/ }, async ({ path, pluginData, ...rest }) => {
      if (pluginData === "resolving" || rest.kind === "entry-point") return undefined;
      const options = {
        importer: rest.importer,
        resolveDir: rest.resolveDir,
        kind: rest.kind,
        pluginData: "resolving",
      };
      const found = await bundler.resolve(path, options);
      return found.path.startsWith(join(root, "lib")) ? { ...found, sideEffects: false } : found;
    });
    // Of a namespace that is imported as such, what is not used is left out; of an exported object it is not.
    bundler.onLoad({ filter: /\/lib\/.*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace('import { z } from "zod";', 'import * as z from "zod";'),
      loader: "ts",
    }));
  },
};

/** Leaves out zod's conversion to JSON Schema, 18 kB that nothing in the package calls. */
const schemasAreNotConverted = {
  name: "no-json-schema",
  setup(bundler) {
    const filter = /zod\/v4\/core\/(to-json-schema|json-schema-processors)\.js$/;
    bundler.onLoad({ filter }, async ({ path }) => {
      const names = Object.keys(await import(path));
      return {
        contents: `const none = () => undefined;\n${names.map((name) => `export const ${name} = none;`).join("\n")}`,
      };
    });
  },
};

/** What the command and the fixtures share is in the package once. */
const proxyIsInCore = {
  name: "proxy-is-in-core",
  setup(bundler) {
    const filter = /^#lib\/(platform\/config|replay\/(cassettes|playback|providers|recording-proxy)\/index)$/;
    bundler.onResolve({ filter }, () => ({ path: "./core.cjs", external: true }));
  },
};

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  minify: true,
  legalComments: "none",
  plugins: [ownModulesAreFreeOfEffects, schemasAreNotConverted],
  logLevel: "error",
  metafile: true,
};

/** Returns the declarations of an entry, whose imports of each other get the ending of the module format. */
function declarations(entry, ending) {
  const text = readFileSync(join(out, "types", `${entry}.d.ts`), "utf8");
  return text.replace(/from "\.\/([a-z-]+)"/g, `from "./$1.${ending}js"`);
}

for (const name of ["package", "types", "all-types"]) rmSync(join(out, name), { recursive: true, force: true });
mkdirSync(join(folder, "dist"), { recursive: true });

/** Bundles an entry as CommonJS. All but the core load the proxy from it, so that the package has it once. */
const bundle = (entry, file, more = {}) =>
  build({ ...common, entryPoints: [entry], format: "cjs", outfile: join(folder, "dist", file), ...more });
const fromCore = { plugins: [proxyIsInCore, ...common.plugins] };

const core = await bundle("lib/testing/core.ts", "core.cjs");
await bundle("lib/testing/index.ts", "index.cjs", fromCore);
await bundle("lib/cli/testing-main.ts", "tapedeck.cjs", { ...fromCore, banner: { js: "#!/usr/bin/env node" } });
for (const runner of runners) {
  for (const [format, ending] of [
    ["esm", "mjs"],
    ["cjs", "cjs"],
  ]) {
    await build({
      ...common,
      bundle: false,
      plugins: [],
      entryPoints: [`lib/testing/${runner}.ts`],
      format,
      outfile: join(folder, "dist", `${runner}.${ending}`),
    });
    const file = join(folder, "dist", `${runner}.${ending}`);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/(["'])\.\/index\1/g, `"./index.${ending}"`));
  }
}
writeFileSync(
  join(folder, "dist/index.mjs"),
  'import index from "./index.cjs";\n\nexport const { duplicateError, startTape } = index;\n',
);

const sources = [...entries, "types", "jest-globals.d"].map((entry) => join("lib/testing", `${entry}.ts`));
execFileSync(
  process.execPath,
  [
    ...["node_modules/typescript/bin/tsc", ...sources],
    ...["--declaration", "--emitDeclarationOnly", "--outDir", join(out, "all-types"), "--ignoreConfig"],
    ...["--module", "esnext", "--moduleResolution", "bundler", "--target", "es2023", "--skipLibCheck", "--strict"],
    ...["--rootDir", ".", "--types", "node"],
  ],
  { cwd: root, stdio: "inherit" },
);
mkdirSync(join(out, "types"));
for (const entry of [...entries, "types"]) {
  copyFileSync(join(out, "all-types", "lib/testing", `${entry}.d.ts`), join(out, "types", `${entry}.d.ts`));
  for (const ending of ["m", "c"]) {
    writeFileSync(join(folder, "dist", `${entry}.d.${ending}ts`), declarations(entry, ending));
  }
}

const exported = (entry) => ({
  import: { types: `./dist/${entry}.d.mts`, default: `./dist/${entry}.mjs` },
  require: { types: `./dist/${entry}.d.cts`, default: `./dist/${entry}.cjs` },
});
writeFileSync(
  join(folder, "package.json"),
  `${JSON.stringify(
    {
      name,
      version,
      description: "Records the model calls of a test suite once, and replays them byte for byte.",
      license,
      sideEffects: false,
      type: "commonjs",
      engines,
      bin: { tapedeck: "dist/tapedeck.cjs" },
      main: "./dist/index.cjs",
      module: "./dist/index.mjs",
      types: "./dist/index.d.cts",
      exports: {
        ".": exported("index"),
        ...Object.fromEntries(runners.map((runner) => [`./${runner}`, exported(runner)])),
        "./package.json": "./package.json",
      },
      files: ["dist"],
      peerDependencies: { "@playwright/test": ">=1.40", vitest: ">=3" },
      peerDependenciesMeta: { "@playwright/test": { optional: true }, vitest: { optional: true } },
    },
    null,
    2,
  )}\n`,
);
copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
copyFileSync(join(root, "lib/testing/README.md"), join(folder, "README.md"));

const [packed] = JSON.parse(
  execFileSync("npm", ["pack", "--json", "--pack-destination", out], { cwd: folder, encoding: "utf8" }),
);
rmSync(join(out, "types"), { recursive: true });
rmSync(join(out, "all-types"), { recursive: true });
if (values.meta) writeFileSync(join(out, "meta.json"), JSON.stringify(core.metafile));
process.stdout.write(`${join(out, packed.filename)}: ${packed.size} bytes, ${packed.unpackedSize} unpacked\n`);
