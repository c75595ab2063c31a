/**
 * The first command of a fresh clone: brings packages and generated code up to date, then runs `tapedeck up` or `dev`. It
 * uses no new syntax, so that a version of Node.js that is too old gets a clear message.
 */
import { requireNode } from "./bootstrap/require-node.mjs";

requireNode();
// The command runs in this process, so that signals need no forwarding.
import("./bootstrap/prepare.mjs")
  .then(({ prepareCommand }) => prepareCommand(process.argv.slice(2)))
  .then(() => import("./tapedeck.mjs"));
