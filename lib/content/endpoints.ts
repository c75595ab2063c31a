import { z } from "zod";
import { defineEndpoint } from "#lib/http/endpoint";

export const getLlmsTxtEndpoint = defineEndpoint({
  id: "getLlmsTxt",
  method: "GET",
  path: "/llms.txt",
  tag: "Discovery",
  summary: "Get llms.txt",
  description: "What the site is and where its pages and interfaces stand, in markdown for models.",
  auth: "none",
  answers: {
    200: {
      description: "The file.",
      body: {
        type: "text/plain",
        schema: z.string(),
        example: "# Tapedeck Developer Tools\n\n> Recorded model streams.",
      },
    },
  },
  errors: {},
});

export const getAgentsJsonEndpoint = defineEndpoint({
  id: "getAgentsJson",
  method: "GET",
  path: "/.well-known/agents.json",
  tag: "Discovery",
  summary: "Get agents.json",
  description: "What an agent can do at this site, and where.",
  auth: "none",
  answers: {
    200: {
      description: "The document.",
      body: {
        type: "application/json",
        schema: z.looseObject({ name: z.string(), url: z.url(), openapi: z.url() }),
        example: {
          name: "Tapedeck Developer Tools",
          url: "http://127.0.0.1:3000",
          openapi: "http://127.0.0.1:3000/openapi.json",
        },
      },
    },
  },
  errors: {},
});

export const contentEndpoints = [getLlmsTxtEndpoint, getAgentsJsonEndpoint];
