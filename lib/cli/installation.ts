import { existsSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "#lib/platform/database/paths";

/** Whether this is a clone, which can build and develop. The package of the server has only what was built. */
export const isClone = existsSync(path.join(packageRoot, "next.config.ts"));

/** The file that runs the command, which prepares nothing. */
export const commandFile = path.join(packageRoot, "lib/cli", isClone ? "tapedeck.mjs" : "bootstrap/packaged.mjs");
