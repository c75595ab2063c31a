import type { z } from "zod";
import type { AnswerDeclaration, Endpoint, HeaderDeclaration } from "#lib/contract/endpoint";
import { answerHeaders } from "./answer-headers";
import type { JsonSchema, SchemaCollector } from "./convert-schema";
import { errorAnswers } from "./error-answers";

function parametersOf(
  place: "path" | "query",
  schema: z.ZodType | undefined,
  collector: SchemaCollector,
): JsonSchema[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = collector.convert(schema, "input") as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name),
    description: description ?? name,
    schema: rest,
  }));
}

function headerParameters(headers: Record<string, HeaderDeclaration> = {}): JsonSchema[] {
  return Object.entries(headers).map(([name, header]) => ({ name, in: "header", required: false, ...header }));
}

function answerOf(endpoint: Endpoint, status: number, collector: SchemaCollector): JsonSchema {
  const { description, headers = {}, body } = endpoint.answers[status] as AnswerDeclaration;
  const content = body && { [body.type]: { schema: collector.convert(body.schema, "output"), example: body.example } };
  return { description, headers: { ...answerHeaders(endpoint, status), ...headers }, ...(content ? { content } : {}) };
}

function conditionalAnswer(endpoint: Endpoint): Record<string, JsonSchema> {
  const { method, cacheControl = "" } = endpoint;
  if (method !== "GET" || /no-cache|no-store/.test(cacheControl)) return {};
  const description =
    "The client's copy (`If-None-Match`, or `If-Modified-Since` where the answer has a `Last-Modified`) is current.";
  return { 304: { description, headers: answerHeaders(endpoint, 304) } };
}

/** No key, a key, or either. An optional key that has to be of some tier is none that can be left out. */
function securityOf({ auth, minimumTier }: Endpoint): JsonSchema[] {
  if (auth === "none") return [];
  return auth === "required" || minimumTier ? [{ apiKey: [] }] : [{ apiKey: [] }, {}];
}

function requestBodyOf({ body, rawBodyByteSize, bodyExample }: Endpoint, collector: SchemaCollector): JsonSchema {
  if (!body && !rawBodyByteSize) return {};
  const schema = body ? collector.convert(body, "input") : { type: "object" };
  return { requestBody: { required: true, content: { "application/json": { schema, example: bodyExample } } } };
}

/** One endpoint as an operation of the document. */
export function operationOf(endpoint: Endpoint, collector: SchemaCollector): JsonSchema {
  const { id, tag, summary, description, params, query, requestHeaders, answers } = endpoint;
  const parameters = [
    ...parametersOf("path", params, collector),
    ...parametersOf("query", query, collector),
    ...headerParameters(requestHeaders),
  ];
  const answered = Object.keys(answers).map((status) => [status, answerOf(endpoint, Number(status), collector)]);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: securityOf(endpoint),
    ...(parameters.length ? { parameters } : {}),
    ...requestBodyOf(endpoint, collector),
    responses: { ...Object.fromEntries(answered), ...conditionalAnswer(endpoint), ...errorAnswers(endpoint) },
  };
}
