/**
 * The first command of a fresh clone: brings packages and generated code up to date, then runs `tapedeck up` or `dev`.
 * Runs before anything is installed, and on a Node that is too old only as far as to say so: hence no newer syntax here.
 */
import { requireNode } from "./bootstrap/require-node.mjs";

requireNode();
import("./bootstrap/start.mjs").then(({ start }) => start(process.argv.slice(2)));
