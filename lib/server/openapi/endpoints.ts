import * as z from "zod";
import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";
import { interfaceVersion } from "#lib/platform/version";

export const getOpenApiEndpoint = defineEndpoint({
  id: "getOpenApi",
  method: "GET",
  path: "/openapi.json",
  tag: "Discovery",
  summary: "Get this document",
  description: "Returns the OpenAPI 3.1 document of this API, generated from the endpoints' declarations.",
  auth: "none",
  responses: {
    200: jsonResponse("The document.", z.record(z.string(), z.unknown()), {
      openapi: "3.1.0",
      info: { title: "Tapedeck", version: interfaceVersion },
    }),
  },
  errors: {},
});

export const openApiEndpoints = [getOpenApiEndpoint];
