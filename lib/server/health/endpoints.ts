import * as z from "zod";
import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";

const healthSchema = z
  .object({
    status: z.literal("ok"),
    version: z.string().meta({ description: "Version of the application." }),
    timestamp: z.iso.datetime().meta({ description: "Time of the server." }),
    db_connected: z.boolean().meta({ description: "Whether the database answers." }),
  })
  .meta({ id: "Health", description: "Health of the service." });
export type Health = z.infer<typeof healthSchema>;

export const getHealthEndpoint = defineEndpoint({
  id: "getHealth",
  method: "GET",
  path: "/api/v1/health",
  tag: "Operations",
  summary: "Get the service's health",
  description:
    "Always 200 while the service runs. `db_connected` is whether the database answers within a second; replay works without it.",
  auth: "none",
  responses: {
    200: jsonResponse("The service runs.", healthSchema, {
      status: "ok",
      version: "1.0.0",
      timestamp: "2026-11-21T09:30:00.000Z",
      db_connected: true,
    }),
  },
  errors: {},
  cacheControl: "no-cache",
});

export const healthEndpoints = [getHealthEndpoint];
