import path from "node:path";
import { fileURLToPath } from "node:url";
import { config } from "#lib/platform/config";

/** Root folder of the package, wherever the command was started. Not for code that Next bundles. */
export const packageRoot = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

/** Returns the data folder. A relative setting is relative to the package, whatever the working directory. */
export function dataFolder(): string {
  return path.resolve(packageRoot, config().TAPEDECK_DATA_DIR);
}

export function embeddedDatabaseFolder(): string {
  return path.join(dataFolder(), "database");
}
