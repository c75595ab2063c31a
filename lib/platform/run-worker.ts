import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";
import pLimit, { type LimitFunction } from "p-limit";
import { config, isNextBundle, usesBundledWorkers } from "./config";

/** Bounds of one piece of work in a worker thread. */
export type WorkerLimits = {
  /** Longest duration, in milliseconds, including the start of the thread. */
  timeoutMs: number;
  /** Largest heap of the thread, in MiB. */
  maxHeapMib: number;
};

/** Bounds of the work on one vendor's text. */
export const defaultWorkerLimits: WorkerLimits = { timeoutMs: 60_000, maxHeapMib: 512 };
/** From this many characters of all texts together, work on them is done in a thread, because it takes tens of milliseconds. */
export const minWorkerLength = 256 * 1024;

/** The work did not finish in its worker thread. The message says why, for operators. */
export class WorkerError extends Error {
  override readonly name = "WorkerError";
}

/** One thread at a time per entry: further work waits, so that a process needs few threads' memory and processors. */
const queues = new Map<string, LimitFunction>();

function queueOf({ name }: WorkerEntry): LimitFunction {
  const queue = queues.get(name) ?? pLimit(1);
  queues.set(name, queue);
  return queue;
}

/** File name of a worker's entry without its extension, and `import.meta.url` of a module in the same folder. */
export type WorkerEntry = { name: string; moduleUrl: string };

/** Folder of the bundled entries for code that Next bundled, relative to the package and to the working directory. */
const workersFolder = "node_modules/.cache/tapedeck-workers";

/** Returns the bundled entry that `command-bundle.mjs` writes; undefined in a process that runs TypeScript. */
function bundleOf({ name, moduleUrl }: WorkerEntry): string | undefined {
  // Next does not bundle entries of Node's worker threads, so for its bundles they are in a folder of their own.
  if (isNextBundle && config().NODE_ENV === "production") return join(process.cwd(), workersFolder, `${name}.js`);
  return moduleUrl.endsWith(".ts") ? undefined : fileURLToPath(moduleUrl.replace(/[^/]*$/, `${name}.js`));
}

/**
 * Returns a hash that changes with the code of a worker's entry and all that it imports, since the names of bundled parts
 * are hashes of their contents. Undefined in a process that runs TypeScript.
 */
export async function hashOfEntry(entry: WorkerEntry): Promise<string | undefined> {
  const bundle = bundleOf(entry);
  const code = bundle && (await readFile(/* turbopackIgnore: true */ bundle).catch(() => undefined));
  return code && createHash("sha256").update(code).digest("hex");
}

/** Returns the URL of a file of the package, by a module in its folder `lib`. A folder above the package may be a `lib` too. */
function urlInPackage(moduleUrl: string, file: string): string {
  return `${moduleUrl.slice(0, moduleUrl.lastIndexOf("/lib/"))}/${file}`;
}

/**
 * Creates the worker. A process that runs TypeScript, and Next's development server, run the TypeScript of the entry, with
 * the loader that the command uses, which takes a second per thread. Tests run the entry's bundle instead, if there is one.
 */
function openWorker(entry: WorkerEntry, options: WorkerOptions): Worker {
  const bundle = bundleOf(entry);
  if (bundle !== undefined) return new Worker(/* turbopackIgnore: true */ bundle, options);
  const { name, moduleUrl } = entry;
  if (usesBundledWorkers) {
    const file = fileURLToPath(urlInPackage(moduleUrl, `${workersFolder}/${name}.js`));
    if (existsSync(/* turbopackIgnore: true */ file)) return new Worker(/* turbopackIgnore: true */ file, options);
  }
  const loaderUrl = urlInPackage(moduleUrl, "node_modules/tsx/dist/esm/api/index.mjs");
  const code = `import(${JSON.stringify(loaderUrl)}).then(({ register }) => {
    register();
    return import(${JSON.stringify(moduleUrl.replace(/[^/]*$/, `${name}.ts`))});
  });`;
  return new Worker(/* turbopackIgnore: true */ code, { ...options, eval: true });
}

function errorOf(error: unknown, { maxHeapMib }: WorkerLimits): Error {
  const { code } = (error ?? {}) as { code?: unknown };
  if (code === "ERR_WORKER_OUT_OF_MEMORY") return new WorkerError(`needs more than ${maxHeapMib} MiB of memory`);
  return error instanceof Error ? error : new WorkerError(String(error));
}

function settleWith<Result>(worker: Worker, limits: WorkerLimits): Promise<Result> {
  return new Promise((resolve, reject) => {
    worker.once("message", (result: Result) => resolve(result));
    worker.once("error", (error) => reject(errorOf(error, limits)));
    worker.once("exit", (code) => reject(new WorkerError(`the worker thread ended with code ${code} and no result`)));
  });
}

/**
 * Runs work in a new thread and returns what its entry posts. `input` is copied into the thread's `workerData`, except for
 * the buffers of it that are moved: they cannot be used afterwards. Throws WorkerError beyond the limits, and the error of an
 * entry that throws.
 */
export function runInWorker<Result>(
  entry: WorkerEntry,
  input: object,
  limits: WorkerLimits,
  moved: ArrayBuffer[] = [],
): Promise<Result> {
  const { timeoutMs, maxHeapMib } = limits;
  return queueOf(entry)(async () => {
    const resourceLimits = { maxOldGenerationSizeMb: maxHeapMib };
    const worker = openWorker(entry, { workerData: input, transferList: moved, resourceLimits });
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new WorkerError(`takes longer than ${timeoutMs} ms`)), timeoutMs);
    });
    try {
      return await Promise.race([settleWith<Result>(worker, limits), timeout]);
    } finally {
      clearTimeout(timer);
      await worker.terminate();
    }
  });
}
