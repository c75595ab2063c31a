import { parentPort, workerData } from "node:worker_threads";
import { type OpenApiTask, runTask } from "./run-openapi";

/** Entry of the worker thread that reads or compares large documents. */
parentPort?.postMessage(runTask(workerData as OpenApiTask));
