import { childEnvironment } from "#lib/platform/config";

/** Whether this is `npm test -- --extended`, which runs the full counts. */
export const isExtended = childEnvironment().TAPEDECK_TESTS === "extended";
