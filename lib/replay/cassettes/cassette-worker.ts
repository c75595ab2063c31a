import { parentPort, workerData } from "node:worker_threads";
import { type CassetteFile, describeFiles } from "./read-entries";

/** Entry of the worker thread that verifies many files. */
parentPort?.postMessage(describeFiles(workerData as CassetteFile[]));
