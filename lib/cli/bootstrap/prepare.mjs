import path from "node:path";
import { takeFileLock } from "../../platform/processes/file-lock.mjs";
import { endLeftoverChildren } from "./children.mjs";
import { generateClient, isClientCurrent } from "./generate-client.mjs";
import { arePackagesCurrent, installPackages } from "./install-packages.mjs";
import { packageRoot } from "./package-root.mjs";
import { withProgress } from "./progress.mjs";

const lockTimeoutMs = 15 * 60_000;

/** Installs and generates whatever is missing or out of date. Two commands at once wait for each other. */
export async function prepare({ signal } = {}) {
  if (arePackagesCurrent() && isClientCurrent()) return;
  // In the clone, whatever the data folder: it guards node_modules.
  const file = path.join(packageRoot, ".tapedeck", "prepare.lock");
  const { release, holder } = await withProgress("Waiting for another installation", () =>
    takeFileLock(file, { timeoutMs: lockTimeoutMs, signal }),
  );
  if (!release) throw new Error(`Process ${holder?.pid ?? "(unknown)"} has been installing packages for very long.`);
  try {
    await endLeftoverChildren();
    await installPackages({ signal });
    await generateClient({ signal });
  } finally {
    release();
  }
}
