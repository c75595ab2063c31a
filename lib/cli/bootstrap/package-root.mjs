import path from "node:path";
import { fileURLToPath } from "node:url";

export const packageRoot = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

/** The same folder as `dataFolder()` in lib/platform/database/paths.ts, for use before TypeScript can be loaded. */
export const dataFolder = path.resolve(packageRoot, process.env.TAPEDECK_DATA_DIR || ".tapedeck");
