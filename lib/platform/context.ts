import type { Clock } from "./clock";
import type { Database } from "./database/index";
import type { Ids } from "./ids";
import type { Log } from "./log";

/** What verbs and jobs are given. Each takes what it needs of it, so that tests pass no more. */
export type Context = { database: Database; clock: Clock; ids: Ids; log: Log };
