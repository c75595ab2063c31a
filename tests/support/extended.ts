import { childEnvironment } from "#lib/platform/config";

/** True under `npm test -- --extended`, which runs the full counts. */
export const isExtended = childEnvironment().TAPEDECK_TESTS === "extended";

/** Returns the number of runs of a property: all with `--extended`, else a quarter. A failure prints its seed. */
export const propertyRuns = (count: number) => (isExtended ? count : Math.ceil(count / 4));
