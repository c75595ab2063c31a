import { v7 } from "uuid";
import { processSingleton } from "./process-singleton";

/** Passed in, so that tests control ids. */
export type Ids = {
  /** Returns a UUID that sorts after all earlier ones of this process. */
  next(): string;
};

/** UUIDv7, monotonic within the process, across Next's bundles. */
export const systemIds: Ids = processSingleton("ids", () => ({ next: () => v7() }));

/** Lower than every UUIDv7. */
export const lowestId = "00000000-0000-0000-0000-000000000000";

/** The largest time in a UUIDv7. */
const maxIdMs = 2 ** 48 - 1;

/** Returns the lowest UUIDv7 of a time in milliseconds since 1970, for comparisons: ids sort by time. */
export function lowestIdAt(timeMs: number): string {
  const hex = Math.min(Math.max(timeMs, 0), maxIdMs).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
