import * as z from "zod";
import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";
import { modelDetailSchema, modelListSchema, modelStatuses } from "./schemas";

const example = {
  provider: "openai",
  id: "gpt-5-mini",
  name: "GPT-5 mini",
  aliases: [],
  status: "deprecated",
  released: "2025-08-07",
  deprecated: "2026-06-11",
  retired: "2026-12-11",
  retired_not_before: null,
  may_end: false,
  successors: [{ provider: "openai", id: "gpt-5.6-terra" }],
  successor: { provider: "openai", id: "gpt-5.6-terra" },
  price: { input: 0.25, output: 2, cache_read: 0.025, cache_write: null },
  limits: { context: 400000, output: 128000 },
  sources: [{ url: "https://developers.openai.com/api/docs/deprecations", read: "2026-08-03" }],
};

/** A change of a model, for the document of the API. */
export const modelChangeExample = {
  provider: "openai",
  id: "gpt-5-mini",
  field: "retired",
  before: "2027-01-15",
  after: "2026-12-11",
  significance: 5,
  at: "2026-11-21T09:07:12.480Z",
  source: "https://modeldeprecations.dev/api/v1/models.json",
  diff_id: "019aa4f2-6c40-7001-8000-4d0f5b1e2c37",
};

/** Most names in a list, and the longest list, in characters. */
export const maxNameCount = 100;
const maxNamesLength = 8_000;

const endDay = z.iso.date("must be a day such as 2026-12-31").optional();

export const modelQuerySchema = z.object({
  q: z.string().max(200).optional().describe("Parts of an id, alias or name, or another spelling of one."),
  models: z
    .string()
    .max(maxNamesLength, `must have at most ${maxNamesLength} characters`)
    .refine((text) => text.split(",").length <= maxNameCount, `must have at most ${maxNameCount} names`)
    .optional()
    .describe(
      `Names of models, in any spelling, separated by commas; at most ${maxNameCount}. \`answers\` says of each what it means, also if it is not known.`,
    ),
  provider: z.string().max(100).optional().describe("Such as `openai`."),
  status: z.enum(modelStatuses).optional().describe("State of the models."),
  ends: endDay.describe("Day on which models end, or have ended. With `ends_by`, both have to hold."),
  ends_by: endDay.describe(
    "Models that end by this day, such as `2026-12-31`, and after them those without an end that may, by `retired_not_before`. Those that have ended and whose day is known are listed only with `status=retired`.",
  ),
});

const notTheirWord = "It is made of public sources, which each model names, and is not the vendors' word.";

export const listModelsEndpoint = defineEndpoint({
  id: "listTrackedModels",
  method: "GET",
  path: "/api/v1/models",
  tag: "Models",
  summary: "List models",
  description: `All models that match the filters: those that q names exactly, then by provider and id, or by end if that is filtered. ${notTheirWord}`,
  auth: "none",
  query: modelQuerySchema,
  ignoresEmptyQuery: true,
  responses: { 200: jsonResponse("The models.", modelListSchema, { read: "2026-10-21", count: 1, models: [example] }) },
  errors: { bad_request: "`provider` is not known, or another parameter is invalid." },
});

export const modelParamsSchema = z.object({
  provider: z.string().min(1).max(100).meta({ description: "Such as `openai`.", example: "openai" }),
  id: z.string().min(1).max(200).meta({ description: "Id or alias, with a slash as `%2F`.", example: "gpt-5-mini" }),
});

export const getModelEndpoint = defineEndpoint({
  id: "getTrackedModel",
  method: "GET",
  path: "/api/v1/models/{provider}/{id}",
  tag: "Models",
  summary: "Get a model",
  description: `A model with its end, successors and price, and what changed since the server reads the sources itself. ${notTheirWord}`,
  auth: "none",
  params: modelParamsSchema,
  responses: {
    200: jsonResponse("The model.", modelDetailSchema, {
      ...example,
      read: "2026-10-21",
      history: [modelChangeExample],
    }),
  },
  errors: { not_found: "The provider has no model of this name that is known." },
});

export const modelEndpoints = [listModelsEndpoint, getModelEndpoint];
