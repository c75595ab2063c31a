import { readdirSync } from "node:fs";
import { resolve } from "node:path";

/** Folder of the bundled cassettes and their scripts. */
export const bundledFolder = resolve(import.meta.dirname, "../../content/cassettes");

/** Ids of the bundled cassettes, sorted. */
export const bundledIds: readonly string[] = readdirSync(bundledFolder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".json"))
  .map((name) => name.replace(/\.json$/, "").replaceAll("\\", "/"))
  .sort();

/** Returns the number of bundled cassettes of a vertical. */
export function countBundled(vertical: string): number {
  return bundledIds.filter((id) => id.startsWith(`${vertical}/`)).length;
}
