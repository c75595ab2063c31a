#!/usr/bin/env node
/** The `tapedeck` command: runs its bundle if that is current, else its TypeScript. */
import module from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { findBundle } from "./bootstrap/command-bundle.mjs";
import { packageRoot } from "./bootstrap/package-root.mjs";
import { generateClient, isClientCurrent } from "./bootstrap/prepare.mjs";
import { requireNode } from "./bootstrap/require-node.mjs";

async function loadTypeScript() {
  const loader = await import("tsx/esm/api").catch(() => undefined);
  if (!loader) {
    console.error(`The packages are not installed. Run this in ${packageRoot} first: npm ci`);
    process.exit(1);
  }
  loader.register({ tsconfig: path.join(packageRoot, "tsconfig.json") });
  await generateClient();
  await import("./main.ts");
}

requireNode();
const bundle = isClientCurrent() ? findBundle() : undefined;
if (bundle) {
  // Since Node.js 22, compiled code can be stored: a command then takes a quarter less time. It is removed with the bundle.
  module.enableCompileCache?.(path.join(path.dirname(bundle), "compiled"));
  await import(pathToFileURL(bundle).href);
} else await loadTypeScript();
