import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { childEnvironment } from "#lib/platform/config";
import { packageRoot } from "#lib/platform/database/paths";

/** What `next build` reads; cassettes are read while serving. */
const sources = [
  "app",
  "lib",
  "prisma",
  "content/docs",
  "public",
  "instrumentation.ts",
  "next.config.ts",
  "proxy.ts",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
];
/** Written from the schema, which is hashed itself. */
const generated = path.join(packageRoot, "prisma", "generated");
/** Settings that the build may write into pages. Without TAPEDECK_BUILD_DATE set, a new day alone rebuilds nothing. */
const buildVariables = [
  "BASE_URL",
  "SITE",
  "SITE_URLS",
  "TRUST_PROXY",
  "CASSETTE_STORE",
  "CASSETTE_DIR",
  "CASSETTE_BLOB_PREFIX",
  "TAPEDECK_BUILD_DATE",
  "VERCEL",
  "VERCEL_ENV",
];

/** One text for everything that the build depends on: names, contents and settings. */
export function hashSources(): string {
  const hash = createHash("sha256");
  for (const source of sources) addFile(hash, path.join(packageRoot, source));
  const environment = childEnvironment();
  for (const name of buildVariables) hash.update(`${name}=${environment[name] ?? ""}\0`);
  return hash.digest("hex");
}

function addFile(hash: ReturnType<typeof createHash>, file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found || file === generated) return;
  if (found.isDirectory()) {
    for (const name of readdirSync(file).sort()) addFile(hash, path.join(file, name));
    return;
  }
  if (!found.isFile()) return;
  const content = readFileSync(file);
  hash.update(`${path.relative(packageRoot, file)}\0${content.byteLength}\0`).update(content);
}
