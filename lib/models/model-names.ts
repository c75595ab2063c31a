import type { Model } from "./schemas";

export const keyOf = ({ provider, id }: Pick<Model, "provider" | "id">): string => `${provider}/${id}`;

/** Bedrock's ids: a region, the vendor, the model, a version. */
const bedrockPattern = /^(?:[a-z]{2,6}(?:-gov)?\.)?([a-z]+)\.(.+?)(?:-v\d+(?::\d+[a-z]?)*)?$/;
/** Vertex' ids of other vendors' models. */
const vertexPattern = /^(.+)@(?:(\d+)|default|latest)$/;
const datePattern = /-(\d{4})-?(\d{2})-?(\d{2})$/;
const latestPattern = /-latest$/;
/** The mark of a version in front of the date of one, as Vertex writes it. */
const markPattern = /-v\d+(?=-\d{8}$)/;
/** What OpenRouter puts behind the name of a model: `:online`, `:thinking`. Digits, as in Ollama's `:8b`, are another model. */
const variantPattern = /:[a-z]+$/;
/** A provider in front of a name, or the mark of a fine-tuned model, after which its owner follows. */
const prefixPattern = /^(?:ft:([^:]+):.*|[a-z_-]+:(.+))$/;

const isOnVertex = (name: string, host: string) => /vertex|aiplatform/i.test(`${host} ${name}`);

type Spelling = { id: string /** If set, only this provider's model is meant. */; provider?: string };

/** Returns what a name can stand for, the most exact first. */
function spellingsOf(name: string): Spelling[] {
  const afterPath = name.slice(name.lastIndexOf("/") + 1);
  const [, tuned, prefixed] = prefixPattern.exec(afterPath) ?? [];
  const bare = tuned ?? prefixed ?? afterPath;
  const [, vendor, ofBedrock] = bedrockPattern.exec(bare) ?? [];
  const [, ofVertex, version] = vertexPattern.exec(bare) ?? [];
  const onVertex = version === undefined ? ofVertex : `${ofVertex}-${version}`.replace(markPattern, "");
  return [
    { id: name },
    { id: afterPath },
    { id: bare },
    ...(ofBedrock === undefined ? [] : [{ id: ofBedrock, provider: vendor === "amazon" ? "bedrock" : vendor }]),
    ...(onVertex === undefined ? [] : [{ id: onVertex }]),
    ...(afterPath !== name && variantPattern.test(afterPath) ? [{ id: afterPath.replace(variantPattern, "") }] : []),
  ];
}

/**
 * Returns one form of the names that differ in dots or hyphens in a version (`claude-3.7-sonnet`) and in its place
 * (`gemini-pro-1.5`), and without its dot (`gpt-35-turbo`): clouds allow none in names.
 */
function looseForm(id: string): string {
  const [first, ...parts] = id.replace(/(?<=\b\d{1,2})-(?=\d{1,2}\b)/g, ".").split("-");
  const isVersion = (part: string) => /^[\d.]+$/.test(part);
  const versions = parts.filter(isVersion).map((part) => (/^\d\.\d$/.test(part) ? part.replace(".", "") : part));
  return [first, ...parts.filter((part) => !isVersion(part)), ...versions].join("-");
}

/** Returns a name without the date of a version, and without `-latest`. */
const undated = (id: string) => id.replace(datePattern, "").replace(latestPattern, "");

/**
 * Whether the name behind a gateway's says that a model is another's: with its provider before it, or as Vertex writes the ids
 * of other vendors' models.
 */
export function namesOwner(gateway: string, name: string, { provider }: Pick<Model, "provider">): boolean {
  const [last = "", ...parts] = name.toLowerCase().split(/[/.]/).reverse();
  return parts.includes(provider) || (/^(?:vertex|google)/i.test(gateway) && vertexPattern.test(last));
}

/** Whether a name, or the host of its request, is that of a cloud which serves models of others. */
const clouds: Readonly<Record<string, (name: string, host: string) => boolean>> = {
  azure: (name, host) => /azure/i.test(`${host} ${name}`),
  bedrock: (name, host) => /bedrock/i.test(`${host} ${name}`) || spellingsOf(name).some(({ provider }) => provider),
  vertex: (name, host) => isOnVertex(name, host) || vertexPattern.test(name),
};

/**
 * Returns a sentence if a model was found by the name or host of a cloud, but its dates are those of another provider; else
 * undefined.
 */
export function caveatOf(name: string, { provider }: Pick<Model, "provider">, host = ""): string | undefined {
  const [cloud] = Object.entries(clouds).find(([, isOn]) => isOn(name.toLowerCase(), host)) ?? [];
  if (cloud === undefined || cloud === provider) return undefined;
  return `The dates are those of ${provider}: ${cloud} may end the model on another day.`;
}

type NameIndex = Map<string, Set<Model>>;

function add(index: NameIndex, name: string, model: Model): void {
  index.set(name, (index.get(name) ?? new Set()).add(model));
}

/** Finds models by the names that requests and code call them. */
export class ModelNames {
  readonly #byName: NameIndex = new Map();
  readonly #byForm: NameIndex = new Map();
  /** By the form of dated names and those with `-latest`, without this ending. */
  readonly #byUndated: NameIndex = new Map();

  constructor(models: readonly Model[]) {
    for (const model of models) {
      for (const name of [model.id, ...model.aliases].map((each) => each.toLowerCase())) {
        add(this.#byName, name, model);
        add(this.#byForm, looseForm(name), model);
        if (undated(name) !== name) add(this.#byUndated, looseForm(undated(name)), model);
      }
    }
  }

  /**
   * Returns the model of a name: an id or alias, also after `provider/`, `provider:`, `models/` or `accounts/…/models/`, with
   * dots for hyphens, or as Bedrock (`us.anthropic.…-v1:0`) and Vertex (`…@20250514`) write it. A version that is not known
   * counts as the model if that is deprecated or has ended; if it is active, nothing is known of the version. `host` is where
   * the request went, `provider` the only one whose models count.
   */
  find(name: string, host?: string, provider?: string): Model | undefined {
    const { models, isVersion } = this.findAll(name, host, provider);
    const [model] = models;
    const hasEnd = model?.status === "deprecated" || model?.status === "retired";
    return isVersion && !hasEnd ? undefined : model;
  }

  /**
   * Returns the models that several providers have by a name. `isVersion`: it is a version of them that is not known, or no
   * version where only one is.
   */
  findAll(name: string, host = "", only?: string): { models: Model[]; isVersion: boolean } {
    const isVertex = isOnVertex(name, host);
    const spellings = spellingsOf(name.toLowerCase());
    const search = (
      index: NameIndex,
      formOf: (id: string) => string,
      isMeant: (model: Model, id: string) => boolean,
    ) => {
      for (const { id, provider: wanted } of spellings) {
        const isWanted = ({ provider }: Model) =>
          [wanted ?? provider, only ?? provider].every((each) => each === provider);
        const models = [...(index.get(formOf(id)) ?? [])].filter((model) => isWanted(model) && isMeant(model, id));
        const preferred = models.filter(({ provider }) => isVertex === (provider === "vertex"));
        if (models.length > 0) return preferred.length > 0 ? preferred : models;
      }
      return [];
    };
    const always = () => true;
    const undatedForm = (id: string) => looseForm(undated(id));
    const isDayOf = ({ released }: Model, id: string) => datePattern.exec(id)?.slice(1).join("-") === released;
    const isChanged = (_: Model, id: string) => undated(id) !== id;
    const searches = [
      [this.#byName, (id: string) => id, always, false],
      [this.#byForm, looseForm, always, false],
      // The version of the day on which the model was released.
      [this.#byForm, undatedForm, isDayOf, false],
      [this.#byForm, undatedForm, isChanged, true],
    ] as const;
    for (const [index, formOf, isMeant, isVersion] of searches) {
      const models = search(index, formOf, isMeant);
      if (models.length > 0) return { models, isVersion };
    }
    const dated = search(this.#byUndated, undatedForm, (_, id) => !datePattern.test(id));
    const latest = dated.filter(({ id, aliases }) => [id, ...aliases].some((each) => latestPattern.test(each)));
    const models = latest.length > 0 ? latest : dated;
    return { models: models.length === 1 ? models : [], isVersion: true };
  }
}
