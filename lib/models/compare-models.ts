import { fitSentences } from "#lib/contract/fit-json";
import { dayOf, type ModelCatalogue, modelOf } from "./catalogue";
import { keyOf } from "./model-names";
import { isListedByPrice, type SourceRow } from "./read-source";
import type { Model, StatedModel } from "./schemas";

/** Fields of which changes are kept, and the significance of those that it does not depend on the values of. */
const fieldLevels = {
  retired: undefined,
  status: undefined,
  retired_not_before: undefined,
  price: 4,
  deprecated: 3,
  successors: 3,
  limits: 2,
  released: 1,
  aliases: 1,
  name: 1,
} as const;
type Field = keyof typeof fieldLevels;
const fields = Object.keys(fieldLevels) as Field[];

/** A change of one field of a model. `listed` is true in a source that has the model, and null in one that has not. */
export type ModelChange = {
  provider: string;
  model: string;
  /** What the model is called, in lower case: ids and aliases with and without `provider/`. */
  names: string[];
  field: Field | "listed";
  before: unknown;
  after: unknown;
  /** 1 to 5. */
  significance: number;
};

/** Returns the names by which changes of models are found: those of `ModelChange`. */
export function namesOf(models: readonly Pick<Model, "provider" | "id" | "aliases">[]): string[] {
  const names = models.flatMap(({ provider, id, aliases }) =>
    [id, ...aliases].flatMap((name) => [`${provider}/${name}`, name]),
  );
  return [...new Set(names.map((name) => name.toLowerCase()))];
}

/** Returns the name of `ModelChange` for each given spelling: `provider/id` of a model that is known, else the spelling. */
export function resolveNames(catalogue: ModelCatalogue, given: readonly string[]): string[] {
  const resolved = given.map((name) => {
    const model = catalogue.find(name);
    return (model ? keyOf(model) : name).toLowerCase();
  });
  return [...new Set(resolved)];
}

function judgeEnd(before: StatedModel, after: StatedModel): number {
  if (after.retired === null) return 3;
  const expected = before.retired ?? before.retired_not_before;
  if (expected !== null && after.retired < expected) return 5;
  return before.retired === null ? 4 : 3;
}

/** Returns the significance of a change. An end without a day counts as a new one. */
function judge(field: Field, before: StatedModel, after: StatedModel): number {
  if (field === "retired") return judgeEnd(before, after);
  if (field === "status") {
    if (after.status === "retired") return after.retired === null ? 4 : 3;
    return after.status === "deprecated" ? 3 : 2;
  }
  if (field === "retired_not_before") {
    const [was, is] = [before.retired_not_before, after.retired_not_before];
    return is !== null && (was === null || is < was) ? 3 : 2;
  }
  return fieldLevels[field] ?? 1;
}

type Known = {
  now: Date;
  /** The catalogue before the change, for other names of the models. */
  catalogue: ModelCatalogue;
};

/** Returns what changed from the rows of a source to the later ones, by model. */
export function compareModels(
  before: readonly SourceRow[],
  after: readonly SourceRow[],
  { now, catalogue }: Known,
): ModelChange[] {
  const today = dayOf(now);
  const toModels = (rows: readonly SourceRow[]) =>
    new Map(rows.map((row) => [keyOf(row), modelOf({ ...row, sources: [] }, [], today)]));
  const [older, newer] = [toModels(before), toModels(after)];
  return [...new Set([...older.keys(), ...newer.keys()])].flatMap((key): ModelChange[] => {
    const [was, is] = [older.get(key), newer.get(key)];
    const some = (is ?? was) as StatedModel;
    const known = catalogue.find(key);
    // A name also finds the model of which it is a version. That is another model here.
    const isSame = known?.provider === some.provider && namesOf([known]).includes(some.id.toLowerCase());
    const same = isSame ? known : undefined;
    if (!same && some.status === "unknown" && !isListedByPrice(some)) return [];
    const { provider, id: model } = same ?? some;
    const subject = { provider, model, names: namesOf([was, is, same].filter((each) => each !== undefined)) };
    if (!is) return [{ ...subject, field: "listed", before: true, after: null, significance: 3 }];
    if (!was) {
      const listed = { ...subject, field: "listed", before: null, after: true, significance: 2 } as const;
      const ends = is.retired !== null && is.retired > today;
      return ends
        ? [{ ...subject, field: "retired", before: null, after: is.retired, significance: 4 }, listed]
        : [listed];
    }
    return fields
      .filter((field) => JSON.stringify(was[field]) !== JSON.stringify(is[field]))
      .map((field) => ({
        ...subject,
        field,
        before: was[field],
        after: is[field],
        significance: judge(field, was, is),
      }));
  });
}

/** What of a change describes it; of one from the database, with any field. */
type FieldChange = Pick<ModelChange, "before" | "after"> & { field: string };
export type DescribedModelChange = FieldChange & Pick<ModelChange, "provider" | "model" | "significance">;

const instead = (before: unknown, write: (value: never) => string) =>
  before === null ? "" : ` instead of ${write(before as never)}`;
const writeDay = (day: string) => day;
const writePrice = ({ input, output }: { input: number; output: number }) => `$${input} in and $${output} out`;

/** Returns what a change says of its model, without naming it: `ends on 2026-12-11`. */
export function describeModelChange({ field, before, after }: FieldChange): string {
  if (field === "listed") return after === null ? "is no longer listed" : "is listed";
  if (field === "retired")
    return after === null ? "no longer has an end date" : `ends on ${after}${instead(before, writeDay)}`;
  if (field === "retired_not_before" && after !== null) return `does not end before ${after}`;
  if (field === "status") return `is ${after}`;
  if (field === "price" && after !== null)
    return `costs ${writePrice(after as never)} per million tokens${instead(before, writePrice)}`;
  if (field === "successors") {
    const ids = (after as Model["successors"]).map(({ id }) => id);
    return ids.length === 0 ? "no longer has a successor" : `is replaced by ${ids.join(" or ")}`;
  }
  return `${after === null ? "no longer has" : "has"} a ${after === null ? "" : "new "}${field.replaceAll("_", " ")}`;
}

/** Returns the most significant change of each model as a sentence, the most significant first, and how many are left out. */
export function summarizeChanges(changes: readonly DescribedModelChange[], maxLength = 500): string {
  const sorted = [...changes].sort((a, b) => b.significance - a.significance);
  const byModel = new Map<string, DescribedModelChange>();
  for (const change of sorted) {
    const key = `${change.provider}/${change.model}`;
    if (!byModel.has(key)) byModel.set(key, change);
  }
  const sentences = [...byModel].map(([key, change]) => `${key} ${describeModelChange(change)}.`);
  return fitSentences(
    sentences.map((text) => ({ text, count: 1 })),
    { noun: "model", maxCount: 10_000, maxLength },
  );
}
