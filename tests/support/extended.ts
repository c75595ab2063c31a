import { it } from "vitest";
import { childEnvironment } from "#lib/platform/config";

/** True under `npm test -- --extended`, which runs the full counts. */
export const isExtended = childEnvironment().TAPEDECK_TESTS === "extended";

/** `it` for what takes long and whose guarantee has a shorter test too: runs with `--extended` only. */
export const itExtended = it.runIf(isExtended);

/** Returns the time limit of a test that repeats something, in milliseconds: five minutes for each time. */
export const repeatedTimeoutMs = (count: number) => count * 300_000;

/** Returns the number of runs of a property: all with `--extended`, else a tenth. A failure prints its seed. */
export const propertyRuns = (count: number) => (isExtended ? count : Math.ceil(count / 10));
