import {
  type CassetteSummary,
  type Catalogue,
  cassetteIdSchema,
  cassettesOfSite,
  promptOf,
  type Vertical,
} from "#lib/cassettes/index";
import { AppError } from "#lib/platform/errors";
import { countTerms, scoreBm25, type TermCounts, tokenize } from "#lib/search/index";
import type { MessagesBody } from "./schemas";

type ChoiceContext = { catalogue: Catalogue; site: { vertical: Vertical } };

const modelPrefix = "cassette:";

const termsBySummary = new WeakMap<CassetteSummary, TermCounts>();

function promptTerms(summary: CassetteSummary): TermCounts {
  const known = termsBySummary.get(summary);
  if (known) return known;
  const terms = countTerms(tokenize(`${summary.title} ${summary.prompt}`));
  termsBySummary.set(summary, terms);
  return terms;
}

/** The cassette of the site whose recorded prompt is nearest by BM25; on a tie a complete one, then the first by id. */
async function nearestCassette(context: ChoiceContext, prompt: string): Promise<string> {
  const own = await cassettesOfSite(context);
  if (own.length === 0) {
    throw new AppError(
      "not_found",
      "This site has no cassettes. Name one of another site as model: cassette:<vertical>/<slug>.",
    );
  }
  const scores = scoreBm25(tokenize(prompt), own.map(promptTerms));
  const best = Math.max(...scores);
  const nearest = own.filter((_, index) => scores[index] === best);
  return (nearest.find(({ end }) => end === "complete") ?? (nearest[0] as CassetteSummary)).id;
}

function checkedId(id: string, where: string): string {
  if (cassetteIdSchema.safeParse(id).success) return id;
  throw new AppError("not_found", `${where}: "${id.slice(0, 130)}" is not <vertical>/<slug> of a cassette.`);
}

/** Id of the cassette to replay: named by the model, else by the header, else the nearest recorded prompt. */
export async function chooseCassette(
  context: ChoiceContext,
  { body, cassetteHeader }: { body: MessagesBody; cassetteHeader: string | null },
): Promise<string> {
  if (body.model.startsWith(modelPrefix)) return checkedId(body.model.slice(modelPrefix.length), "model");
  if (cassetteHeader) return checkedId(cassetteHeader, "x-replay-cassette");
  return nearestCassette(context, promptOf(body));
}
