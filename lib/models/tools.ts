import * as z from "zod";
import {
  countPosition,
  cursorSchema,
  limitSchema,
  nextCursorSchema,
  readCursor,
  writeCursor,
} from "#lib/contract/cursor";
import { firstFitting } from "#lib/contract/fit-json";
import { defineTool, maxResultLength, reads } from "#lib/contract/tool";
import { AppError } from "#lib/platform/errors";
import { dayOf } from "./catalogue";
import { currentModels, type ModelsContext } from "./current-models";
import { maxNameCount, modelQuerySchema } from "./endpoints";
import { caveatFor, listModels, readOf } from "./list-models";
import { keyOf } from "./model-names";
import { answerNames, findMeant } from "./named-models";
import { modelDetailSchema, modelListSchema, modelSchema } from "./schemas";

/** Characters available for the list; the rest is for the result's other fields. */
const maxListLength = maxResultLength - 500;

const { q: _, models: __, ...filters } = modelQuerySchema.shape;

const listModelsTool = defineTool({
  name: "list_models",
  title: "List models",
  description:
    'Lists language models with their ends, successors and prices. Example: {"status": "deprecated", "ends_by": "2026-12-31"}',
  annotations: reads,
  freeAt: "GET /api/v1/models",
  input: z.strictObject({
    query: z.string().max(200).optional().describe("Parts of an id or name."),
    models: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(maxNameCount)
      .optional()
      .describe("Names in any spelling, without other filters: `answers` says of each what it means."),
    ...filters,
    limit: limitSchema(50, 20),
    cursor: cursorSchema,
  }),
  output: modelListSchema
    .omit({ count: true, similar: true })
    .extend({ models: modelListSchema.shape.models.optional(), next_cursor: nextCursorSchema }),
  async run(context: ModelsContext, { query: q, limit, cursor, models: names, ...given }) {
    const query = { q, ...given, provider: given.provider?.toLowerCase() };
    if (names && Object.values(query).some((value) => value !== undefined))
      throw new AppError("bad_request", "Pass `models` without other filters.");
    // A position counts models, and which of them still end changes with the day.
    const day = query.ends_by && dayOf(context.clock.now());
    const scope = `list_models ${JSON.stringify({ ...query, names, day })}`;
    const from = Number(readCursor(cursor, { scope, form: countPosition }) ?? 0);
    const page = <Item>(all: readonly Item[]) => {
      const items = firstFitting(all.slice(from, from + limit), maxListLength);
      const next = from + items.length;
      return { items, next_cursor: next < all.length ? writeCursor(scope, String(next)) : null };
    };
    const catalogue = await currentModels(context);
    if (names) {
      const { items: answers, next_cursor } = page(answerNames(catalogue, names));
      return { ...readOf(catalogue, context), answers, next_cursor };
    }
    const { count, similar, models: found, ...rest } = await listModels(context, { query });
    const { items: models, next_cursor } = page(found);
    return { ...rest, models, next_cursor };
  },
});

const getModelTool = defineTool({
  name: "get_model",
  title: "Get a model",
  description: 'Returns when a model ends and what replaces it. Example: {"id": "openai/gpt-5"}',
  annotations: reads,
  freeAt: "GET /api/v1/models/{provider}/{id}",
  input: z.strictObject({
    id: z.string().min(1).max(200).describe("Any spelling of its id, also after `provider/`."),
    provider: z.string().min(1).max(100).optional().describe("Such as `openai`."),
  }),
  output: modelDetailSchema.pick({ read: true, age_warning: true, caveat: true }).extend({ model: modelSchema }),
  async run(context: ModelsContext, { id, provider }) {
    const catalogue = await currentModels(context);
    const { model, several, near } = findMeant(catalogue, id, provider);
    if (model) return { ...readOf(catalogue, context), ...caveatFor(id, model), model };
    const nearest = [...several, ...near].map(keyOf).join(", ");
    if (several.length > 0)
      throw new AppError("bad_request", `Several models are known as ${id}: pass its provider. ${nearest}.`);
    const name = provider === undefined ? id : `${provider.toLowerCase()}/${id}`;
    throw new AppError(
      "not_found",
      `No model is known as ${name}. It may still end.${nearest && ` Nearest: ${nearest}.`} list_models finds those that are known.`,
    );
  },
});

export const modelTools = [listModelsTool, getModelTool];
