import { type Stats, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";

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
 * Returns what the system says of files, in their order; null for one that it does not say anything of. A call that waits for
 * a disk takes a fifth of the processor time of one that does not, so files are looked up in short slices; on a slow drive,
 * other threads wait.
 */
export async function lookUpFiles(paths: readonly string[], sliceMs = defaultSliceMs): Promise<(Stats | null)[]> {
  const found: (Stats | null)[] = [];
  while (found.length < paths.length) {
    const [start, startMs] = [found.length, performance.now()];
    while (found.length < paths.length && performance.now() - startMs < sliceMs)
      found.push(statOrNull(paths[found.length] as string));
    await nextTurn();
    if (found.length - start >= minSliceCount) continue;
    const slow = paths.slice(found.length, found.length + concurrency);
    found.push(...(await Promise.all(slow.map((path) => stat(path).catch(() => null)))));
  }
  return found;
}
