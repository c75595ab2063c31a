import { dayMs } from "#lib/platform/time";
import bundled from "../../content/models/catalogue.json" with { type: "json" };
import { keyOf, ModelNames } from "./model-names";
import type { Model, ModelStatus, StatedModel } from "./schemas";

/** A model in the file of the catalogue. What is not known is left out. */
export type ModelRow = {
  provider: string;
  id: string;
  /** Default: the id. */
  name?: string;
  aliases?: string[];
  /** What its source says, on the day it was read. */
  status: ModelStatus;
  released?: string;
  deprecated?: string;
  retired?: string;
  notBefore?: string;
  /** As `provider/id`. */
  successors?: string[];
  /** Input, output, cache read, cache write, in USD per million tokens. */
  price?: [number, number, number | null, number | null];
  /** Context and output, in tokens. */
  limits?: [number | null, number | null];
  /** Positions in `pages`, and the day on which the page was read. */
  sources: [number, string][];
};

/** Age in days from which a catalogue is called old. */
const oldAfterDays = 60;

/** Returns the age of a catalogue in days if it is old, by the day on which its sources were read; else null. */
export function daysIfOld({ read }: { read: string }, now: Date): number | null {
  const days = Math.floor((now.getTime() - Date.parse(read)) / dayMs);
  return days > oldAfterDays ? days : null;
}

/** Returns a warning if the sources of a catalogue were read long ago; else undefined. */
export function ageWarning({ read }: { read: string }, now: Date): string | undefined {
  const age = daysIfOld({ read }, now);
  if (age === null) return undefined;
  return `The sources were read on ${read}, ${age} days ago: models may have been announced, or have ended, since.`;
}

export type CatalogueFile = { read: string; pages: string[]; models: ModelRow[] };

/** Returns the day of a time, in UTC. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

function statusOn(today: string, { status, deprecated, retired }: ModelRow): ModelStatus {
  if (retired) return retired <= today ? "retired" : "deprecated";
  return status === "active" && deprecated && deprecated <= today ? "deprecated" : status;
}

/** Returns what a row says of a model on a day. */
export function modelOf(row: ModelRow, pages: readonly string[], today: string): StatedModel {
  const { provider, id, name = id, aliases = [], successors = [], price, limits, sources } = row;
  return {
    provider,
    id,
    name,
    aliases,
    status: statusOn(today, row),
    released: row.released ?? null,
    deprecated: row.deprecated ?? null,
    retired: row.retired ?? null,
    retired_not_before: row.notBefore ?? null,
    successors: successors.map((key) => {
      const slash = key.indexOf("/");
      return { provider: key.slice(0, slash), id: key.slice(slash + 1) };
    }),
    price: price ? { input: price[0], output: price[1], cache_read: price[2], cache_write: price[3] } : null,
    // The sources have 0 for what they do not know.
    limits: limits?.some(Boolean) ? { context: limits[0] || null, output: limits[1] || null } : null,
    sources: sources.map(([page, read]) => ({ url: pages[page] ?? "", read })),
  };
}

type ModelId = Pick<Model, "provider" | "id">;

/** Whether a model's earliest end has passed, and no end is set. */
function mayEnd({ status, retired, retired_not_before: notBefore }: StatedModel, today: string): boolean {
  return notBefore !== null && notBefore <= today && retired === null && status !== "retired";
}

type Search = { byKey: ReadonlyMap<string, StatedModel>; isWanted: (model: StatedModel) => boolean };

/** Returns the first wanted model. In place of one that is not, its successors are searched. `seen` are skipped. */
function firstWanted(models: readonly ModelId[], search: Search, seen: Set<string>): ModelId | null {
  for (const model of models) {
    if (seen.has(keyOf(model))) continue;
    const known = search.byKey.get(keyOf(model));
    if (!known || search.isWanted(known)) return model;
    const next = firstWanted(known.successors, search, seen.add(keyOf(model)));
    if (next) return next;
  }
  return null;
}

/** Returns what replaces a model: the best one without an end, else one that may end, else one that has not ended yet. */
function successorOf(model: StatedModel, byKey: Search["byKey"], today: string): ModelId | null {
  const isGoing = ({ status }: StatedModel) => status === "retired" || status === "deprecated";
  const wanted: Search["isWanted"][] = [
    (each) => !isGoing(each) && !mayEnd(each, today),
    (each) => !isGoing(each),
    ({ status }) => status !== "retired",
  ];
  for (const isWanted of wanted) {
    const found = firstWanted(model.successors, { byKey, isWanted }, new Set([keyOf(model)]));
    if (found) return found;
  }
  return null;
}

/** What is known of models on a day. */
export class ModelCatalogue {
  readonly #byKey: ReadonlyMap<string, Model>;
  readonly models: readonly Model[];
  readonly names: ModelNames;

  /** `read`: day on which the sources were last read. */
  constructor(
    stated: readonly StatedModel[],
    readonly read: string,
    today: string,
  ) {
    const byKey = new Map(stated.map((model) => [keyOf(model), model]));
    this.models = stated.map((model) => {
      const { successors, price, limits, sources, ...dates } = model;
      const successor = successorOf(model, byKey, today);
      return { ...dates, may_end: mayEnd(model, today), successors, successor, price, limits, sources };
    });
    this.#byKey = new Map(this.models.map((model) => [keyOf(model), model]));
    this.names = new ModelNames(this.models);
  }

  get(provider: string, id: string): Model | undefined {
    return this.#byKey.get(`${provider}/${id}`);
  }

  /** Returns the model of a name: `provider/id`, or any other spelling. */
  find(name: string): Model | undefined {
    return this.#byKey.get(name) ?? this.names.find(name);
  }
}

/** The catalogue that is part of the release. */
export const bundledFile = bundled as unknown as CatalogueFile;

const latest = new WeakMap<CatalogueFile, { today: string; catalogue: ModelCatalogue }>();

/** Returns the catalogue of a file with the statuses of a day. */
export function catalogueOn(file: CatalogueFile, now: Date): ModelCatalogue {
  const today = dayOf(now);
  const last = latest.get(file);
  if (last?.today === today) return last.catalogue;
  const models = file.models.map((row) => modelOf(row, file.pages, today));
  const catalogue = new ModelCatalogue(models, file.read, today);
  latest.set(file, { today, catalogue });
  return catalogue;
}

/** Returns the bundled catalogue with the statuses of a day. */
export const bundledModels = (now: Date): ModelCatalogue => catalogueOn(bundledFile, now);
