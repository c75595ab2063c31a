import { parentPort, workerData } from "node:worker_threads";
import type { Change } from "../analysis";
import { analyseByRules } from "./analyse-by-rules";

/** Entry of the worker thread that analyses a change of large texts. */
parentPort?.postMessage(analyseByRules(workerData as Change));
