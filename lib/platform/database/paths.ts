import path from "node:path";
import { fileURLToPath } from "node:url";
import { config } from "#lib/platform/config";

/** Top of the package, wherever the command was called from. Not for code that Next bundles. */
export const packageRoot = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

/** What Tapedeck keeps on this machine; a relative setting counts from the package, so that every directory agrees. */
export function dataFolder(): string {
  return path.resolve(packageRoot, config().TAPEDECK_DATA_DIR);
}

export function embeddedDatabaseFolder(): string {
  return path.join(dataFolder(), "database");
}
