import { AppError } from "#lib/platform/errors";
import { findSimilar } from "#lib/platform/similar-texts";

const maxSuggestionCount = 3;
/** How similar a suggestion must be, from 0 to 1. */
const minScore = 0.3;
/** Most ids that are compared with an unknown one, so that a large store does not delay other requests. */
const maxComparedCount = 2_000;
/** Longest part of an unknown id that is compared and shown, in characters. */
const maxShownLength = 130;

const folderOf = (id: string) => id.slice(0, id.indexOf("/"));
const slugOf = (id: string) => id.slice(id.indexOf("/") + 1);

/** How to see the ids of cassettes. */
export const listingAdvice = "GET /api/v1/cassettes?vertical=all and the MCP tool list_cassettes list the ids.";

/** Returns the ids that are most similar to an unknown one: those of its folder or, if there is none, of all. */
function nearestIds(ids: readonly string[], id: string): string[] {
  const limits = { limit: maxSuggestionCount, minScore };
  const sameFolder = ids.filter((each) => folderOf(each) === folderOf(id)).slice(0, maxComparedCount);
  return sameFolder.length > 0
    ? findSimilar(sameFolder, slugOf(id), { textsOf: (each) => [slugOf(each)], ...limits })
    : findSimilar(ids.slice(0, maxComparedCount), id, { textsOf: (each) => [each], ...limits });
}

/** Returns the id that a name most likely means: without the prefix of models, spaces and capital letters. */
export function meantId(name: string): string {
  return name
    .toLowerCase()
    .replace(/^\s*cassette:/, "")
    .trim();
}

/** Returns the error for an id that no cassette has. It names the nearest of `ids`. `place` says where the client named it. */
export function unknownCassette(ids: readonly string[], id: string, place?: string): AppError {
  const shown = id.slice(0, maxShownLength);
  const meant = meantId(shown);
  const near = ids.includes(meant) ? [] : nearestIds(ids, shown);
  const unlike = ids.includes(meant)
    ? `Did you mean ${place === "model" || place === "API key" ? "cassette:" : ""}${meant}?`
    : `An id is <folder>/<slug>. ${listingAdvice}`;
  const advice = near.length > 0 ? `Nearest: ${near.join(", ")}.` : unlike;
  const start = place === undefined ? "There is" : `${place}: there is`;
  return new AppError("not_found", `${start} no cassette "${shown}". ${advice}`);
}
