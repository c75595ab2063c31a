import type { z } from "zod";
import type { AnswerDeclaration, Endpoint, ErrorShape, HeaderDeclaration } from "#lib/http/endpoint";
import { type ErrorCode, statusByCode } from "#lib/platform/errors";
import type { JsonSchema, SchemaCollector } from "./convert-schema";

const requestIdHeader = {
  "X-Request-Id": { description: "Id of the request, also in the log.", schema: { type: "string", format: "uuid" } },
};

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

function answerOf(answer: AnswerDeclaration, collector: SchemaCollector): JsonSchema {
  const { description, headers = {}, body } = answer;
  const content = body && { [body.type]: { schema: collector.convert(body.schema, "output"), example: body.example } };
  return { description, headers: { ...requestIdHeader, ...headers }, ...(content ? { content } : {}) };
}

const errorExamples: Record<ErrorShape, (code: ErrorCode, message: string) => unknown> = {
  tapedeck: (code, error) => ({ error, code, status: statusByCode[code] }),
  anthropic: (_code, message) => ({
    type: "error",
    error: { type: "invalid_request_error", message },
    request_id: "…",
  }),
};

function errorAnswer(shape: ErrorShape, code: ErrorCode, description: string): JsonSchema {
  const schema = { $ref: `#/components/schemas/${shape === "tapedeck" ? "Error" : "ProviderError"}` };
  return {
    description,
    headers: requestIdHeader,
    content: { "application/json": { schema, example: errorExamples[shape](code, description) } },
  };
}

function errorAnswers({ errors, errorShape = "tapedeck" }: Endpoint): Record<string, JsonSchema> {
  const all = { ...errors, internal_error: "Something failed on our side." } as Record<ErrorCode, string>;
  return Object.fromEntries(
    Object.entries(all).map(([code, description]) => [
      statusByCode[code as ErrorCode],
      errorAnswer(errorShape, code as ErrorCode, description),
    ]),
  );
}

function conditionalAnswer({ method, cacheControl = "" }: Endpoint): Record<string, JsonSchema> {
  if (method !== "GET" || /no-cache|no-store/.test(cacheControl)) return {};
  return { 304: { description: "The client's copy (`If-None-Match`) is current.", headers: requestIdHeader } };
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
  const answered = Object.entries(answers).map(([status, answer]) => [status, answerOf(answer, collector)]);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: [],
    ...(parameters.length ? { parameters } : {}),
    ...requestBodyOf(endpoint, collector),
    responses: { ...Object.fromEntries(answered), ...conditionalAnswer(endpoint), ...errorAnswers(endpoint) },
  };
}
