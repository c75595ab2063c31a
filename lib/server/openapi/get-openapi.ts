import { type Endpoint, endpointTags } from "#lib/contract/endpoint";
import { exampleOrigin, textWithOrigin } from "#lib/contract/example-origin";
import { perObject } from "#lib/platform/per-object";
import { interfaceVersion } from "#lib/platform/version";
import { type JsonSchema, SchemaCollector } from "./convert-schema";
import { operationOf } from "./operation";

const errorSchemas: Record<string, JsonSchema> = {
  Error: {
    type: "object",
    description: "Body of every JSON error.",
    required: ["error", "code", "status"],
    properties: {
      error: { type: "string", description: "What happened and what to do, for people." },
      code: { type: "string", description: "What happened, for programs." },
      status: { type: "integer", description: "The HTTP status." },
    },
  },
  ProviderError: {
    type: "object",
    description: "Body of an error in the provider's format.",
    required: ["error"],
    properties: {
      error: {
        anyOf: [
          { type: "string", description: "Ollama's message." },
          { type: "object", required: ["message"], properties: { message: { type: "string" } } },
        ],
      },
    },
  },
};

const securitySchemes: Record<string, JsonSchema> = {
  apiKey: {
    type: "http",
    scheme: "bearer",
    description: "An API key, which starts with `ltf_`. It decides the tier; without a key the free tier applies.",
  },
};

/** Documents with the examples' own origin: to create one takes tens of milliseconds. */
const textOf = perObject((endpoints: readonly Endpoint[]) => JSON.stringify(documentOf(endpoints)));

/** Returns the OpenAPI 3.1 document of the endpoints for one origin, which its examples use too, as JSON. */
export function getOpenApiText(endpoints: readonly Endpoint[], { origin }: { origin: string }): string {
  return textWithOrigin(textOf(endpoints), origin);
}

function documentOf(endpoints: readonly Endpoint[]): JsonSchema {
  const collector = new SchemaCollector();
  const paths: Record<string, JsonSchema> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operationOf(endpoint, collector),
    };
  }
  const tags = [...new Set(endpoints.map(({ tag }) => tag))];
  return {
    openapi: "3.1.0",
    info: {
      title: "Tapedeck",
      version: interfaceVersion,
      summary: "Replay of LLM responses, and tracking of vendors' llms.txt files.",
      description:
        "Streams recorded or authored LLM responses over SSE, byte for byte and with their timing, without a provider's key and without spending tokens. Tracks what vendors change in their llms.txt files.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: exampleOrigin, description: "This site." }],
    tags: tags.map((name) => ({ name, description: endpointTags[name] })),
    paths,
    components: { securitySchemes, schemas: { ...errorSchemas, ...collector.components } },
  };
}
