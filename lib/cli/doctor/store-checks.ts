import { constants, existsSync } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { tryRedis } from "#lib/accounts/limits/index";
import { hostedIndex } from "#lib/discovery/search/hosted/store";
import type { Config } from "#lib/platform/config";
import { dataFolder } from "#lib/platform/database/paths";
import { withTimeout } from "#lib/platform/with-timeout";
import { blobSettings, folderStore } from "#lib/replay/cassettes/index";
import { blobStore } from "#lib/replay/cassettes/stores/blob-store";
import { type Check, fail, ok, warn } from "./check";
import { writeToBlob } from "./store";

/** Checks that the cassettes can be listed; Blob is also written to, and a folder need not be. */
export async function checkCassettes(settings: Config, timeoutMs: number): Promise<Check> {
  const name = "cassettes";
  const { CASSETTE_STORE: kind, CASSETTE_DIR } = settings;
  if (kind === "none") return warn(name, "CASSETTE_STORE is none, so that replay is a 503", "set CASSETTE_STORE");
  const blob = blobSettings(settings);
  if (kind === "blob" && !blob) return fail(name, "there is no token for Vercel Blob", "set BLOB_READ_WRITE_TOKEN");
  const store = kind === "blob" && blob ? blobStore(blob, timeoutMs) : folderStore(resolve(CASSETTE_DIR));
  const { length: count } = await withTimeout(timeoutMs, () => store.list());
  if (count === 0) return warn(name, `the ${kind} has none`, "add cassettes, or correct where they are read from");
  if (kind === "blob" && blob) {
    await withTimeout(timeoutMs, ({ signal }) => writeToBlob(blob, signal));
    return ok(name, `${count} in Vercel Blob, which can be written`);
  }
  const isWritable = await access(resolve(CASSETTE_DIR), constants.W_OK).then(
    () => true,
    () => false,
  );
  return ok(name, `${count} in the folder, which ${isWritable ? "can" : "cannot"} be written`);
}

/** Checks that Redis counts as limits do. No result if it is not configured. */
export async function checkRedis(settings: Config, timeoutMs: number): Promise<Check[]> {
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = settings;
  if (!url || !token) return [];
  await withTimeout(timeoutMs, () => tryRedis({ url, token, timeoutMs }));
  return [ok("redis", `${new URL(url).host} counts`)];
}

/** Checks that Upstash Search answers. No result if it is not configured. */
export async function checkSearch(timeoutMs: number): Promise<Check[]> {
  const index = hostedIndex();
  if (!index) return [];
  await withTimeout(timeoutMs, () => index.list("0"));
  return [ok("search", "Upstash Search answers")];
}

const gibibyte = 1024 ** 3;
const minFreeBytes = gibibyte / 2;
const lowFreeBytes = 4 * gibibyte;

export function checkFreeBytes(freeBytes: number): Check {
  const seen = `${(freeBytes / gibibyte).toFixed(1)} GiB are free for the embedded database`;
  const advice = "free some space, or move the folder of TAPEDECK_DATA_DIR: PostgreSQL stops when the disk is full";
  if (freeBytes < minFreeBytes) return fail("disk", seen, advice);
  return freeBytes < lowFreeBytes ? warn("disk", seen, advice) : ok("disk", seen);
}

/** Returns the folder, or the nearest one above it that exists. */
function nearestFolder(folder: string): string {
  return existsSync(folder) ? folder : nearestFolder(dirname(folder));
}

/** Checks the space for the embedded database. No result if another database is used. */
export async function checkDisk({ DATABASE_URL }: Config): Promise<Check[]> {
  if (DATABASE_URL !== undefined) return [];
  const { bavail, bsize } = await statfs(nearestFolder(dataFolder()));
  return [checkFreeBytes(bavail * bsize)];
}
