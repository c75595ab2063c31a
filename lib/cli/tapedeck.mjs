#!/usr/bin/env node
/** The `tapedeck` command: TypeScript is loaded as it is, from wherever the command was called. */
import path from "node:path";
import { generateClient } from "./bootstrap/generate-client.mjs";
import { packageRoot } from "./bootstrap/package-root.mjs";
import { requireNode } from "./bootstrap/require-node.mjs";

requireNode();
const loader = await import("tsx/esm/api").catch(() => undefined);
if (!loader) {
  console.error(`The packages are not installed. Run this in ${packageRoot} first: npm ci`);
  process.exit(1);
}
process.setSourceMapsEnabled(true);
loader.register({ tsconfig: path.join(packageRoot, "tsconfig.json") });
await generateClient();
await import("./main.ts");
