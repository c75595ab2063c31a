import {
  type Replacement,
  type RequestBody,
  replaceInResponse,
  type VerifiedCassette,
} from "#lib/replay/cassettes/index";
import type { FindIds } from "./moved-ids";
import { escapeText, nameForm, type Pattern, patternsOf, type RunPlace } from "./run-place";
import type { TapeRequest } from "./tape-request";

/** Returns the paths of a run that are others in a recording, of those that the request names; without a body, all of them. */
function movedPlace(from: RunPlace, to: RunPlace, body?: RequestBody): RunPlace {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const isMoved = ({ field, pattern }: Pattern) =>
    field !== "day" &&
    from[field] !== undefined &&
    from[field] !== to[field] &&
    (text === undefined || text.search(pattern) >= 0);
  return Object.fromEntries(patternsOf(to).flatMap((each) => (isMoved(each) ? [[each.field, to[each.field]]] : [])));
}

/** Returns a path in the form in which a text has the one that it replaces. */
function writeAs(found: string, path: string): string {
  if (found.startsWith("-")) return nameForm(path);
  if (!found.includes("\\")) return path.replaceAll("\\", "/");
  return found.includes("\\\\") ? escapeText(path) : path;
}

/** Returns where a text names the paths of a recording that have moved, and those that are in their place now. */
function findMoved(text: string, from: RunPlace, to: RunPlace): Replacement[] {
  const patterns = patternsOf({ folder: to.folder && from.folder, home: to.home && from.home });
  const all = new RegExp(patterns.map(({ pattern }) => `(${pattern.source})`).join("|"), "g");
  return [...text.matchAll(all)].map(({ 0: found, index, ...groups }) => {
    const { field = "folder" } = patterns.find((_pattern, group) => groups[group + 1] !== undefined) ?? {};
    return { start: index, end: index + found.length, text: writeAs(found, to[field] ?? found) };
  });
}

/** The place of a request that is answered; without `body`, all of it counts as named. */
type Asked = Pick<TapeRequest, "place"> & Partial<Pick<TapeRequest, "body">>;

/**
 * Returns a recorded answer that names the folder and the home directory of this run where it names those of its own, as far
 * as the request names them too, and with `findIds` its UUIDs; else as it was recorded. An answer that is no JSON stays as it is.
 */
export function moveAnswer(
  verified: VerifiedCassette,
  from: RunPlace = {},
  { place = {}, body }: Asked,
  findIds?: FindIds,
): VerifiedCassette {
  const to = movedPlace(from, place, body);
  const isMoved = Object.keys(to).length > 0;
  if (!isMoved && !findIds) return verified;
  const chunks = replaceInResponse(verified.chunks, (text) => {
    const paths = isMoved ? findMoved(text, from, to) : [];
    const isOutside = ({ start, end }: Replacement) => paths.every((path) => end <= path.start || start >= path.end);
    return [...paths, ...(findIds?.(text).filter(isOutside) ?? [])];
  });
  if (chunks === verified.chunks) return verified;
  const { response } = verified.cassette;
  const { "content-length": length, ...headers } = response.headers;
  const byteSize = chunks.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const sized = length === undefined ? headers : { ...headers, "content-length": String(byteSize) };
  return {
    ...verified,
    chunks: [...chunks],
    cassette: { ...verified.cassette, response: { ...response, headers: sized } },
  };
}
