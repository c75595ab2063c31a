import { parentPort, workerData } from "node:worker_threads";
import { type RequestWork, runRequestWork } from "./read-request";

/** Entry of the worker thread that parses one large request. */
parentPort?.postMessage(runRequestWork(workerData as RequestWork));
