import { v7 } from "uuid";
import { processSingleton } from "./process-singleton";

/** Passed in, so that tests control ids. */
export type Ids = {
  /** Returns a UUID that sorts after all earlier ones of this process. */
  next(): string;
};

/** UUIDv7, monotonic within the process, across Next's bundles. */
export const systemIds: Ids = processSingleton("ids", () => ({ next: () => v7() }));
