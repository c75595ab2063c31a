import { parentPort, workerData } from "node:worker_threads";
import { computeVersion, type NewVersion } from "./compute-version";

/** Entry of the worker thread that handles one large text. */
async function run({ text, domain, previous }: NewVersion): Promise<void> {
  const version = await computeVersion({ text, domain, previous });
  const { compressedContent, diff } = version;
  parentPort?.postMessage(version, [compressedContent.buffer, ...(diff ? [diff.compressedText.buffer] : [])]);
}

void run(workerData as NewVersion);
