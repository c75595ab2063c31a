import path from "node:path";
import { dataFolder } from "#lib/platform/database/paths";
import { lockHolder } from "../platform/processes.mjs";

/** Returns the address of the server that `up` or `dev` runs with this data folder; undefined if none runs. */
export function runningServer(): string | undefined {
  const address = lockHolder(path.join(dataFolder(), "launcher.lock"))?.address;
  return typeof address === "string" ? address : undefined;
}
