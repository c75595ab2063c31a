#!/usr/bin/env node
/** Bundles an entry of the packages for test suites, and writes the licenses beside it: `node lib/testing/bundle.mjs <entry> <file>`. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { licensesOf, root } from "../platform/published-package.mjs";
import { withoutLocales } from "../platform/without-locales.mjs";

const { build } = await import("esbuild").catch(() => {
  process.stderr.write("A package that the build needs is not installed. Run npm ci first.\n");
  process.exit(1);
});

/** Leaves out whatever is imported but not used: our modules do nothing when they are loaded. */
const ownModulesAreFreeOfEffects = {
  name: "own-modules",
  setup(bundler) {
    // Finds files itself: asking esbuild for each import again takes as long as all the rest of a bundle.
    bundler.onResolve({ filter: /^(#lib\/|\.)/ }, ({ path, resolveDir, kind }) => {
      const base = path.startsWith("#lib/") ? join(root, path.slice(1)) : join(resolveDir, path);
      if (kind === "entry-point" || !base.startsWith(join(root, "lib"))) return undefined;
      const file = [`${base}.ts`, base].find(existsSync);
      return file && { path: file, sideEffects: false };
    });
  },
};

/** Leaves out how zod writes JSON Schema, which is a sixth of its code: each schema refers to it, and no command calls it. */
const schemasAreOnlyChecked = {
  name: "no-json-schema",
  setup(bundler) {
    const filter = /zod\/v4\/core\/(?:json-schema-processors|to-json-schema)\.js$/;
    bundler.onLoad({ filter }, ({ path }) => {
      const names = [...readFileSync(path, "utf8").matchAll(/^export (?:const|function) (\w+)/gm)].map(
        ([, name]) => name,
      );
      return { contents: names.map((name) => `export const ${name} = () => undefined;`).join("\n") };
    });
  },
};

/** Takes yaml's ES modules, of which what is not used is left out. */
const yamlIsModular = {
  name: "yaml-modules",
  setup(bundler) {
    const path = join(root, "node_modules/yaml/browser/dist/index.js");
    bundler.onResolve({ filter: /^yaml$/ }, () => ({ path, sideEffects: false }));
  },
};

/** Leaves out the names of ciphers and other parameters of TLS, which nothing prints. */
const tlsHasNoNames = {
  name: "no-tls-names",
  setup(bundler) {
    bundler.onLoad({ filter: /read-tls-client-hello\/dist\/lookup-tables\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(/lookupTable\(\{.*?\n\}\)/gs, "{}"),
    }));
  },
};

/** Leaves out of the catalogue of models what only pages show, and compresses it: it would be a tenth of the package. */
const catalogueIsCompressed = {
  name: "catalogue",
  setup(bundler) {
    bundler.onLoad({ filter: /content[\\/]models[\\/]catalogue\.json$/ }, ({ path }) => {
      const { models, ...rest } = JSON.parse(readFileSync(path, "utf8"));
      // Where a model has no end, dated names are matched by its release.
      const rows = models.map(({ name: _name, limits: _limits, released, ...row }) => ({
        ...row,
        ...(!row.retired && { released }),
      }));
      const bytes = brotliCompressSync(JSON.stringify({ ...rest, models: rows }));
      const contents = `import { brotliDecompressSync } from "node:zlib";
        export default JSON.parse(brotliDecompressSync(Buffer.from("${bytes.toString("base64")}", "base64")).toString());`;
      return { contents };
    });
  },
};

/** Writes an entry with all that it imports into one file, in CommonJS by default. Returns esbuild's result. */
export function bundle(entry, outfile, { plugins = [], ...options } = {}) {
  return build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    mainFields: ["module", "main"],
    minify: true,
    legalComments: "none",
    plugins: [
      ...plugins,
      ...[ownModulesAreFreeOfEffects, withoutLocales, schemasAreOnlyChecked, yamlIsModular],
      ...[tlsHasNoNames, catalogueIsCompressed],
    ],
    logLevel: "error",
    metafile: true,
    ...options,
  });
}

/** Writes the licenses of the packages whose code is in bundles. */
export function writeLicenses(file, results) {
  const outputs = results.flatMap(({ metafile }) => Object.values(metafile.outputs));
  const used = outputs.flatMap(({ inputs }) => Object.keys(inputs).filter((name) => inputs[name].bytesInOutput > 0));
  const folders = used.map((name) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(name)?.[0]).filter(Boolean);
  writeFileSync(file, licensesOf(new Set(folders)));
}

const [, program = "", entry, file] = process.argv;
if (resolve(program) === import.meta.filename) {
  const result = await bundle(entry, resolve(file));
  writeLicenses(join(dirname(resolve(file)), "LICENSES.md"), [result]);
}
