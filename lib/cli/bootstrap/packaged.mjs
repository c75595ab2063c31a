#!/usr/bin/env node
/** The command of the package: runs its bundle. Relative folders are those of the user; the default cassettes are the package's. */
import module from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { requireNode } from "./require-node.mjs";

requireNode();
const bundle = path.join(import.meta.dirname, "../bundle");
const { TAPEDECK_DATA_DIR, CASSETTE_DIR } = process.env;
process.env.TAPEDECK_DATA_DIR = path.resolve(TAPEDECK_DATA_DIR || ".tapedeck");
process.env.CASSETTE_DIR = path.resolve(CASSETTE_DIR || path.join(import.meta.dirname, "../../../content/cassettes"));
module.enableCompileCache?.(path.join(bundle, "compiled"));
await import(pathToFileURL(path.join(bundle, "main.js")).href);
