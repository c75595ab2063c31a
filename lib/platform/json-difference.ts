import { memberPointer } from "./json-pointer";
import { findTextChanges } from "./text-difference";

/** A place where two JSON values differ. A value that is absent is undefined. */
export type JsonDifference = { pointer: string; before: unknown; after: unknown };

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** Returns a member of an object; undefined for what every object has, such as `toString`. */
function memberOf(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/**
 * Returns the places where two JSON values differ, at most `limit`. The order of an object's members does not count.
 * Items of arrays are compared by their position.
 */
export function findDifferences(before: unknown, after: unknown, limit = 100): JsonDifference[] {
  const found: JsonDifference[] = [];
  const compare = (one: unknown, other: unknown, pointer: string): void => {
    if (found.length >= limit || one === other) return;
    if (Array.isArray(one) && Array.isArray(other)) {
      for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
        compare(one[index], other[index], memberPointer(pointer, index));
      }
    } else if (isObject(one) && isObject(other)) {
      for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
        compare(memberOf(one, name), memberOf(other, name), memberPointer(pointer, name));
      }
    } else found.push({ pointer, before: one, after: other });
  };
  compare(before, after, "");
  return found;
}

/** Most parts of a text that are shown. */
const maxShownChanges = 3;

function shortJson(value: unknown): string {
  if (value === undefined) return "absent";
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** Returns a difference as a line: `/system was "…always be brief." and is now "…always be brave."`. */
export function describeDifference({ pointer, before, after }: JsonDifference): string {
  const place = pointer === "" ? "the request" : pointer;
  if (before === undefined) return `${place} is new: ${shortJson(after)}`;
  if (after === undefined) return `${place} is missing; it was ${shortJson(before)}`;
  if (typeof before !== "string" || typeof after !== "string") {
    return `${place} was ${shortJson(before)} and is now ${shortJson(after)}`;
  }
  const changes = findTextChanges(before, after);
  const shown = changes
    .slice(0, maxShownChanges)
    .map((change) => `was ${JSON.stringify(change.before)} and is now ${JSON.stringify(change.after)}`);
  const more = changes.length - shown.length;
  return `${place} ${shown.join("; ")}${more > 0 ? `; ${more} more parts differ` : ""}`;
}
