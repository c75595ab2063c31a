import { parentPort, workerData } from "node:worker_threads";
import { computeComparison, type TextPair } from "./compute-comparison";

/** Entry of the worker thread that compares two large versions. */
async function run(pair: TextPair): Promise<void> {
  const comparison = await computeComparison(pair);
  parentPort?.postMessage(comparison, [comparison.compressedText.buffer]);
}

void run(workerData as TextPair);
