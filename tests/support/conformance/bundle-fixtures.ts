import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = resolve(import.meta.dirname, "../../..");

/** Bundles the fixtures of the conformance suite, and returns the `NODE_OPTIONS` with which a server has them. */
export async function bundleFixtures(): Promise<string> {
  const outfile = resolve(root, "node_modules/.cache/tapedeck-conformance.mjs");
  await build({
    entryPoints: [resolve(import.meta.dirname, "fixtures/index.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["@modelcontextprotocol/server", "zod"],
    logLevel: "silent",
  });
  return `--import=${pathToFileURL(outfile)}`;
}
