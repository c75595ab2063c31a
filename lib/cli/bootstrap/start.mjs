import { prepare } from "./prepare.mjs";
import { stopRequest } from "./stop-request.mjs";

export async function start(words) {
  const { signal } = stopRequest();
  try {
    await prepare({ signal });
  } catch (error) {
    if (signal.aborted) process.exit(0);
    console.error(error.message);
    process.exit(1);
  }
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...words);
  // The same process: signals need no forwarding, and there is one less to be killed.
  await import("../tapedeck.mjs");
}
