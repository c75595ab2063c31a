import { v7 } from "uuid";
import { processSingleton } from "./process-singleton";

/** Ids are passed in, so that tests decide them. */
export type Ids = {
  /** A UUID that sorts after every one that this process has given before. */
  next(): string;
};

/** UUIDv7, monotonic within the process: one source for all of Next's bundles. */
export const systemIds: Ids = processSingleton("ids", () => ({ next: () => v7() }));
