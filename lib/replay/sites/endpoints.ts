import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";
import { fleetSchema, surfacesOf } from "./schemas";

export const getFleetEndpoint = defineEndpoint({
  id: "getFleet",
  method: "GET",
  path: "/api/v1/fleet",
  tag: "Fleet",
  summary: "Get the fleet manifest",
  description:
    "Lists the live sites of the fleet with their vertical, cassette count and discovery documents. A member that failed the last check is omitted; the current site is always listed.",
  auth: "none",
  responses: {
    200: jsonResponse("The manifest.", fleetSchema, {
      chassis: "http://127.0.0.1:3000",
      count: 1,
      current_site: { slug: "developer-tools", vertical: "developer-tools", url: "http://127.0.0.1:3000" },
      members: [
        {
          slug: "developer-tools",
          vertical: "developer-tools",
          url: "http://127.0.0.1:3000",
          display_name: "Tapedeck Developer Tools",
          tagline: "Test code that calls LLMs, without calling them.",
          cassette_count: 9,
          surfaces: surfacesOf("http://127.0.0.1:3000"),
        },
      ],
      last_verified: "2026-11-21",
    }),
  },
  errors: { service_unavailable: "The cassette store does not respond, so cassettes cannot be counted." },
});

export const fleetEndpoints = [getFleetEndpoint];
