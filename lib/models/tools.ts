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
import { modelQuerySchema } from "./endpoints";
import { findNamed, findOf, listModels } from "./list-models";
import { namesOwner } from "./model-names";
import { type Model, modelListSchema, modelSchema } from "./schemas";

/** Characters available for the list; the rest is for the result's other fields. */
const maxListLength = maxResultLength - 500;

const { q: _, ...filters } = modelQuerySchema.shape;

const listModelsTool = defineTool({
  name: "list_models",
  title: "List models",
  description:
    'Lists language models with their ends, successors and prices. Example: {"status": "deprecated", "ends_by": "2026-12-31"}',
  annotations: reads,
  freeAt: "GET /api/v1/models",
  input: z.strictObject({
    query: z.string().max(200).optional().describe("Parts of an id or name."),
    ...filters,
    limit: limitSchema(50, 20),
    cursor: cursorSchema,
  }),
  output: modelListSchema.pick({ read: true, models: true }).extend({ next_cursor: nextCursorSchema }),
  async run(context: ModelsContext, { query: q, limit, cursor, ...given }) {
    const query = { q, ...given, provider: given.provider?.toLowerCase() };
    // A position counts models, and which of them still end changes with the day.
    const day = query.ends_by && dayOf(context.clock.now());
    const scope = `list_models ${JSON.stringify({ ...query, day })}`;
    const from = Number(readCursor(cursor, { scope, form: countPosition }) ?? 0);
    const { read, models: all } = await listModels(context, { query });
    const models = firstFitting(all.slice(from, from + limit), maxListLength);
    const next = from + models.length;
    return { read, models, next_cursor: next < all.length ? writeCursor(scope, String(next)) : null };
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
  output: z.object({ model: modelSchema }),
  async run(context: ModelsContext, { id, provider }) {
    const catalogue = await currentModels(context);
    const name = provider === undefined ? id : `${provider.toLowerCase()}/${id}`;
    const { named, near, hasProvider } = findNamed(catalogue, name);
    const hasId = (model: Model) => [model.id, ...model.aliases].some((own) => own.toLowerCase() === id.toLowerCase());
    const [prefix = ""] = id.split("/");
    const rest = id.slice(prefix.length + 1);
    // What comes before a slash can be a gateway, or a part of the id.
    const others = provider === undefined ? catalogue.names.findAll(id).models : [];
    const meant =
      named.length > 0
        ? named
        : hasProvider
          ? others.filter((each) => hasId(each) || namesOwner(prefix, rest, each))
          : others;
    const [first] = meant;
    const model = first && findOf(catalogue, first.provider, id);
    const isOne = provider !== undefined || meant.length === 1;
    if (model && isOne) return { model };
    const nearest = (meant.length > 0 ? meant : near).map((each) => `${each.provider}/${each.id}`).join(", ");
    if (model) throw new AppError("bad_request", `Several models are known as ${id}: pass its provider. ${nearest}.`);
    throw new AppError(
      "not_found",
      `No model is known as ${name}. It may still end.${nearest && ` Nearest: ${nearest}.`} list_models finds those that are known.`,
    );
  },
});

export const modelTools = [listModelsTool, getModelTool];
