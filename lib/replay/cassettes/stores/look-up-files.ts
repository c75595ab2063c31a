import { type Stats, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import pLimit from "p-limit";

/** Time for which files are looked up without a pause, in milliseconds. */
const defaultSliceMs = 4;
/** Fewer lookups in a slice mean a slow drive, such as one on the network. */
const minSliceCount = 40;
/** Files of a slow drive that are looked up at the same time: few, so that a listing does not hold up the file of a replay. */
const concurrency = 16;

function statOrNull(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/**
 * Returns what the system says of files, in their order; null for one that it does not say anything of. A synchronous call
 * takes a fifth of the processor time of an asynchronous one, so files are looked up by it, in short slices. Once a slice shows
 * that the drive is slow, other threads wait for the rest.
 */
export async function lookUpFiles(paths: readonly string[], sliceMs = defaultSliceMs): Promise<(Stats | null)[]> {
  const found: (Stats | null)[] = [];
  for (let isFast = true; isFast && found.length < paths.length; ) {
    const [start, startMs] = [found.length, performance.now()];
    while (found.length < paths.length && performance.now() - startMs < sliceMs)
      found.push(statOrNull(paths[found.length] as string));
    isFast = found.length - start >= minSliceCount;
    await nextTurn();
  }
  const rest = await pLimit(concurrency).map(paths.slice(found.length), (path) => stat(path).catch(() => null));
  return [...found, ...rest];
}
