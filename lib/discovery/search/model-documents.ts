import { currentModels, keyOf, type Model, type ModelCatalogue } from "#lib/models/index";
import { perObject } from "#lib/platform/per-object";
import type { SearchDocument } from "./document";
import type { VendorsContext } from "./vendor-documents";

function endOf({ status, retired, retired_not_before: notBefore, may_end: mayEnd }: Model): string {
  if (retired !== null) return `${status === "retired" ? "ended" : "ends"} on ${retired}`;
  if (mayEnd) return `${status}, but may end at any time: the earliest date, ${notBefore}, has passed`;
  return status === "unknown" ? "its end is not known" : status;
}

/** Returns what a model is in a sentence: its provider, ids, end and successor. */
function leadOf(model: Model): string {
  const { provider, id, aliases, successor } = model;
  const next = successor === null ? "" : `, replaced by ${successor.id}`;
  return `${provider} ${[id, ...aliases].join(", ")}: ${endOf(model)}${next}.`;
}

const idOf = (model: Model) => `models/${keyOf(model)}`;

const documentsOf = perObject(({ models }: ModelCatalogue): readonly SearchDocument[] =>
  models.map((model) => {
    const parts = { id: idOf(model), slug: keyOf(model), title: model.name, lead: leadOf(model), body: [] };
    return { ...parts, kind: "model", surface: "page" };
  }),
);

/** Returns the models of the catalogue as documents; the same array for the same catalogue. */
export async function modelDocuments(context: VendorsContext): Promise<readonly SearchDocument[]> {
  return documentsOf(await currentModels(context));
}

/** Returns the ids of the documents of the models that a text is the name of, in any spelling. */
export async function findNamedModels(context: VendorsContext, text: string): Promise<string[]> {
  const { names } = await currentModels(context);
  return names.findAll(text.trim()).models.map(idOf);
}
