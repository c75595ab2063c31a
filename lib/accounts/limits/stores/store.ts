/** What became of a request that was counted. */
export type Taken = {
  allowed: boolean;
  /** Requests that are left in the UTC day. */
  remaining: number;
  /** The midnight at which the day ends. */
  resetAt: Date;
};

/** Where requests are counted. Every instance of the service asks the same one, and no count is ever lost. */
export type LimitStore = {
  kind: "database" | "redis";
  /** Counts a request, also one that is over the limit. Throws where the store does not answer. */
  take(subject: string, limit: number, now: Date): Promise<Taken>;
};
