/** `npm test` runs all checks, from types to browser tests, on a fresh clone; `npm test -- <file or name>` a part. */
import { requireNode } from "../lib/cli/bootstrap/require-node.mjs";

requireNode();
import("./support/runner/main.mjs").then(({ main }) => main(process.argv.slice(2)));
