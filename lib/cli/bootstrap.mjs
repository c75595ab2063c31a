/**
 * The first command of a fresh clone: brings packages and generated code up to date, then runs `tapedeck up` or `dev`. On
 * a Node.js that is too old it only says so, hence no newer syntax here.
 */
import { requireNode } from "./bootstrap/require-node.mjs";

requireNode();
import("./bootstrap/prepare.mjs").then(({ start }) => start(process.argv.slice(2)));
