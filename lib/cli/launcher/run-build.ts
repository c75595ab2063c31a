import { spawn } from "node:child_process";
import { once } from "node:events";
import { ConfigError, config } from "#lib/platform/config";
import { packageRoot } from "#lib/platform/database/paths";
import { writeBundle } from "../bootstrap/command-bundle.mjs";
import { endLeftoverChildren, stopRequest } from "../bootstrap/processes.mjs";
import {
  buildEnvironment,
  chooseBuildDate,
  ensureBuild,
  finishBuild,
  nextCommand,
  removeBuildStamp,
} from "./ensure-build";
import { hashSources } from "./source-hash";

/** Returns the exit code. A full build shows Next's own output, as a build machine's log should. */
export async function runBuild({ ifChanged }: { ifChanged: boolean }): Promise<number> {
  try {
    config();
    if (!ifChanged) return await buildVisibly();
    await endLeftoverChildren();
    await ensureBuild({ signal: stopRequest().signal });
    await writeBundle();
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof ConfigError ? 2 : 1;
  }
}

async function buildVisibly(): Promise<number> {
  const [buildDate, sources] = [chooseBuildDate(), hashSources()];
  removeBuildStamp();
  const child = spawn(process.execPath, [nextCommand, "build"], {
    cwd: packageRoot,
    env: buildEnvironment(buildDate),
    stdio: "inherit",
  });
  const [exitCode] = (await once(child, "exit")) as [number | null];
  if (exitCode !== 0) return exitCode ?? 1;
  finishBuild({ sources, buildDate });
  await writeBundle();
  return 0;
}
