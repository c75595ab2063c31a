import { bundledModels } from "#lib/models/index";
import { readRecordedAnswer } from "#lib/replay/cassettes/index";
import { asObject, type Provider, type TimedChunk, textOrNull } from "#lib/replay/providers/index";

type Answer = { status: number; headers: Readonly<Record<string, string>>; chunks: readonly TimedChunk[] };
type Asked = { provider: Provider; model: string | null; host: string | undefined; path: string };

/** What an answer says of the model that was asked. */
export type AnsweredModel = {
  /** As the answer names it, where the catalogue does not know the name in the request; else null. */
  answered: string | null;
  /** Whether the provider answered that it does not have the model. */
  isGone: boolean;
};

/** Whether the catalogue knows the name by which a request calls its model. */
export function isKnownModel({ model, host }: Pick<Asked, "model" | "host">): boolean {
  return model !== null && bundledModels(new Date()).names.find(model, host) !== undefined;
}

/** Reads what an answer says of the model that was asked, as far as it is of use. */
export function readAnsweredModel(asked: Asked, { status, headers, chunks }: Answer): AnsweredModel {
  const isMissing = status === 404;
  if (!isMissing && isKnownModel(asked)) return { answered: null, isGone: false };
  const { answer, events } = readRecordedAnswer(asked.provider, { headers, chunks });
  if (isMissing) {
    // Servers that do not know a path repeat it, in a page or in JSON.
    const texts = events.filter(({ json }) => json !== null).map(({ data }) => data.replaceAll(asked.path, ""));
    const marks = ["model_not_found", ...(asked.model === null ? [] : [asked.model])];
    return { answered: null, isGone: texts.some((text) => marks.some((mark) => text.includes(mark))) };
  }
  const names = [answer?.model, ...events.map(({ json }) => textOrNull(asObject(json).model))];
  return { answered: names.find(Boolean) ?? null, isGone: false };
}
