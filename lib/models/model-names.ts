import type { Model } from "./schemas";

export const keyOf = ({ provider, id }: Pick<Model, "provider" | "id">): string => `${provider}/${id}`;

/** Bedrock's ids: a region, the vendor, the model, a version. */
const bedrockPattern = /^(?:[a-z]{2,6}(?:-gov)?\.)?([a-z]+)\.(.+?)(?:-v\d+(?::\d+[a-z]?)*)?$/;
/** Vertex' ids of other vendors' models. */
const vertexPattern = /^(.+)@(?:(\d+)|default|latest)$/;
const datePattern = /-(?:\d{4}-\d{2}-\d{2}|\d{8})$/;
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
  const onVertex = version === undefined ? ofVertex : `${ofVertex}-${version}`;
  return [
    { id: name },
    { id: afterPath },
    { id: bare },
    ...(ofBedrock === undefined ? [] : [{ id: ofBedrock, provider: vendor === "amazon" ? "bedrock" : vendor }]),
    ...(onVertex === undefined ? [] : [{ id: onVertex }]),
  ];
}

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

/** Finds models by the names that requests and code call them. */
export class ModelNames {
  readonly #byName = new Map<string, Model[]>();

  constructor(models: readonly Model[]) {
    for (const model of models) {
      for (const name of new Set([model.id, ...model.aliases].map((each) => each.toLowerCase()))) {
        this.#byName.set(name, [...(this.#byName.get(name) ?? []), model]);
      }
    }
  }

  /**
   * Returns the model of a name: an id or alias, also after `provider/`, `provider:`, `models/` or `accounts/…/models/`, or as
   * Bedrock (`us.anthropic.…-v1:0`) and Vertex (`…@20250514`) write it. A dated version that is not known counts as the
   * model if that is deprecated or has ended; if it is active, nothing is known of the version. `host` is where the request went,
   * `provider` the only one whose models count.
   */
  find(name: string, host?: string, provider?: string): Model | undefined {
    const { models, isVersion } = this.findAll(name, host, provider);
    const [model] = models;
    const hasEnd = model?.status === "deprecated" || model?.status === "retired";
    return isVersion && !hasEnd ? undefined : model;
  }

  /** Returns the models that several providers have by a name. `isVersion`: it is a dated version of them that is not known. */
  findAll(name: string, host = "", only?: string): { models: Model[]; isVersion: boolean } {
    const isVertex = isOnVertex(name, host);
    const get = ({ id, provider: wanted }: Spelling) => {
      const isWanted = ({ provider }: Model) =>
        [wanted ?? provider, only ?? provider].every((each) => each === provider);
      const models = this.#byName.get(id)?.filter(isWanted) ?? [];
      const preferred = models.filter(({ provider }) => isVertex === (provider === "vertex"));
      return preferred.length > 0 ? preferred : models;
    };
    const spellings = spellingsOf(name.toLowerCase());
    const exact = spellings.map(get).find((models) => models.length > 0);
    if (exact) return { models: exact, isVersion: false };
    const dated = spellings.filter(({ id }) => datePattern.test(id));
    const undated = dated.map(({ id, provider }) => get({ id: id.replace(datePattern, ""), provider }));
    return { models: undated.find((models) => models.length > 0) ?? [], isVersion: true };
  }
}
