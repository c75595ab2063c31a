import { currentModels, type Model, type ModelCatalogue } from "#lib/models/index";
import { perObject } from "#lib/platform/per-object";
import type { SearchDocument } from "./document";
import type { VendorsContext } from "./vendor-documents";

/** Returns what a model is in a sentence: its provider, ids, end and successors. */
function leadOf({ provider, id, aliases, status, retired, successors }: Model): string {
  const names = [id, ...aliases].join(", ");
  const end = retired === null ? status : `${status === "retired" ? "ended" : "ends"} on ${retired}`;
  const next = successors.length > 0 ? `, replaced by ${successors.map((successor) => successor.id).join(" or ")}` : "";
  return `${provider} ${names}: ${status === "unknown" ? "its end is not known" : end}${next}.`;
}

const documentsOf = perObject(({ models }: ModelCatalogue): readonly SearchDocument[] =>
  models.map((model) => {
    const slug = `${model.provider}/${model.id}`;
    const parts = { id: `models/${slug}`, slug, title: model.name, lead: leadOf(model), body: [] };
    return { ...parts, kind: "model", surface: "page" };
  }),
);

/** Returns the models of the catalogue as documents; the same array for the same catalogue. */
export async function modelDocuments(context: VendorsContext): Promise<readonly SearchDocument[]> {
  return documentsOf(await currentModels(context));
}
