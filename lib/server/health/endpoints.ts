import * as z from "zod";
import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";

const healthQuerySchema = z.object({
  ready: z
    .literal("1", { error: "must be 1" })
    .optional()
    .describe(
      "`1` asks whether all endpoints work: the status is 503 if the database does not answer or the server is stopping.",
    ),
});

const healthSchema = z
  .object({
    status: z.literal("ok"),
    version: z.string().meta({ description: "Version of the application." }),
    timestamp: z.iso.datetime().meta({ description: "Time of the server." }),
    db_connected: z.boolean().meta({ description: "Whether the database answers." }),
  })
  .meta({ id: "Health", description: "Health of the service." });
export type Health = z.infer<typeof healthSchema>;

const example: Health = { status: "ok", version: "1.0.0", timestamp: "2026-11-21T09:30:00.000Z", db_connected: true };

export const getHealthEndpoint = defineEndpoint({
  id: "getHealth",
  method: "GET",
  path: "/api/v1/health",
  tag: "Operations",
  summary: "Get the service's health",
  description:
    "Without `ready=1` always 200 while the service runs. `db_connected` is whether the database answers within a second; replay works without it.",
  auth: "none",
  query: healthQuerySchema,
  responses: {
    200: jsonResponse("The service runs.", healthSchema, example),
    503: jsonResponse("With `ready=1`: not ready.", healthSchema, { ...example, db_connected: false }),
  },
  errors: { bad_request: "`ready` has another value." },
  cacheControl: "no-cache",
});

export const healthEndpoints = [getHealthEndpoint];
