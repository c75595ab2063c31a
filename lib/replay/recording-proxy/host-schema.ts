import * as z from "zod";

/** A host, with a port if that is not the usual one; `*` stands for any part of its name. */
export const hostSchema = z
  .string()
  .regex(/^(?:\[[0-9a-f:]+\]|[a-z0-9.*-]+)(?::\d{1,5})?$/, "must be a host such as api.example.com, or host:port");
