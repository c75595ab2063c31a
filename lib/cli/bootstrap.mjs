/**
 * The first command of a fresh clone: brings packages and generated code up to date, then runs `tapedeck up` or `dev`. On
 * a Node.js that is too old it only says so, hence no newer syntax here.
 */
import { requireNode } from "./bootstrap/require-node.mjs";

requireNode();
// The command runs in this process, so that signals need no forwarding.
import("./bootstrap/prepare.mjs")
  .then(({ prepareCommand }) => prepareCommand(process.argv.slice(2)))
  .then(() => import("./tapedeck.mjs"));
