import { defaultWorkerLimits, minWorkerLength, runInWorker } from "#lib/platform/run-worker";
import { computeVersion, type NewVersion, type PreparedVersion } from "./compute-version";

const entry = { name: "version-worker", moduleUrl: import.meta.url };

/**
 * Computes everything that is stored for a new version: counts, security score, and the diff to the previous version.
 * Large texts would block the thread for up to seconds, so they are handled in a worker thread, one at a time. Throws
 * WorkerError for a text that needs more time or memory than the limits allow.
 */
export async function prepareVersion(version: NewVersion, limits = defaultWorkerLimits): Promise<PreparedVersion> {
  if (version.text.length + (version.previous?.text.length ?? 0) < minWorkerLength) {
    return computeVersion(version);
  }
  return runInWorker<PreparedVersion>(entry, version, limits);
}
