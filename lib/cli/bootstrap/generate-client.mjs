import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "./package-root.mjs";
import { runQuietly } from "./run-quietly.mjs";

const generateTimeoutMs = 2 * 60_000;
const schemaFile = path.join(packageRoot, "prisma", "schema.prisma");
const stampFile = path.join(packageRoot, "prisma", "generated", ".tapedeck-schema");
const prismaFolder = path.join(packageRoot, "node_modules", "prisma");
/** What Prisma needs of the environment; a wrong setting of ours shall fail with our own message, not in there. */
const neededVariables = [
  "PATH",
  "Path",
  "HOME",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "TEMP",
  "TMPDIR",
  "SystemRoot",
];

function wantedStamp() {
  const { version } = JSON.parse(readFileSync(path.join(prismaFolder, "package.json"), "utf8"));
  return `${version} ${createHash("sha256").update(readFileSync(schemaFile)).digest("hex")}\n`;
}

export function isClientCurrent() {
  return existsSync(stampFile) && readFileSync(stampFile, "utf8") === wantedStamp();
}

/** Writes prisma/generated, when the schema or Prisma has changed. */
export async function generateClient({ signal } = {}) {
  if (isClientCurrent()) return;
  rmSync(stampFile, { force: true });
  const env = Object.fromEntries(neededVariables.map((name) => [name, process.env[name]]));
  await runQuietly(
    "Generating the database client",
    process.execPath,
    [path.join(prismaFolder, "build", "index.js"), "generate"],
    {
      // Generating asks only that the engine's file exists; the download of the real one is not needed.
      env: {
        ...env,
        PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
        CHECKPOINT_DISABLE: "1",
        PRISMA_HIDE_UPDATE_MESSAGE: "1",
      },
      signal,
      timeoutMs: generateTimeoutMs,
    },
  );
  writeFileSync(stampFile, wantedStamp());
}
