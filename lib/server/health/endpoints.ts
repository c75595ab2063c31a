import { defineEndpoint } from "#lib/contract/endpoint";
import { healthSchema } from "./schemas";

export const getHealthEndpoint = defineEndpoint({
  id: "getHealth",
  method: "GET",
  path: "/api/v1/health",
  tag: "Operations",
  summary: "Get the service's health",
  description:
    "Always 200 while the service runs. `db_connected` says whether the database answers within a second; replay goes on without it.",
  auth: "none",
  answers: {
    200: {
      description: "The service runs.",
      body: {
        type: "application/json",
        schema: healthSchema,
        example: { status: "ok", version: "1.0.0", timestamp: "2026-11-21T09:30:00.000Z", db_connected: true },
      },
    },
  },
  errors: {},
  cacheControl: "no-cache",
});

export const healthEndpoints = [getHealthEndpoint];
