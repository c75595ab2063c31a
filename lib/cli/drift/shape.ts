import { memberPointer } from "#lib/platform/json-pointer";
import type { RecordedAnswer } from "#lib/replay/cassettes/index";
import { asObject, textOrNull } from "#lib/replay/providers/index";

/** What is known of one place in answers. */
export type Place = {
  types: Set<string>;
  /** How often it was there. */
  count: number;
  /** Positions of the answers that have it. */
  answers: Set<number>;
};

type Context = { position: number; opaque: ReadonlySet<string> };

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/**
 * The places of JSON values in a list of answers, with their types. A place is a JSON pointer in which `*` stands for the items
 * of an array, after the kind of event. Objects with a `type` count as different ones: `/content/*<tool_use>/name`.
 */
export class Shape {
  readonly places = new Map<string, Place>();
  #answers = 0;

  /** Adds an answer: its events, or its whole body. */
  add({ events, answer }: RecordedAnswer): void {
    const position = this.#answers;
    this.#answers += 1;
    const inputs = (answer?.parts ?? []).flatMap((part) => (part.kind === "tool" ? [part.input] : []));
    // What a tool is called with is up to the model.
    const opaque = new Set(inputs.filter((input) => input !== "{}"));
    for (const { event, json } of events) {
      const kind = json && (textOrNull(json.type) ?? textOrNull(json.object) ?? event);
      if (json && kind) this.#walk(json, kind, { position, opaque });
    }
  }

  #note(value: unknown, place: string, position: number): void {
    const known = this.places.get(place) ?? { types: new Set(), count: 0, answers: new Set() };
    this.places.set(place, known);
    known.types.add(typeOf(value));
    known.count += 1;
    known.answers.add(position);
  }

  #walk(value: unknown, place: string, context: Context): void {
    this.#note(value, place, context.position);
    if (Array.isArray(value)) {
      for (const item of value) this.#walkMember(item, `${place}/*`, context);
    } else if (value !== null && typeof value === "object") {
      if (context.opaque.size > 0 && context.opaque.has(JSON.stringify(value))) return;
      for (const [name, member] of Object.entries(value)) this.#walkMember(member, memberPointer(place, name), context);
    }
  }

  /** An object with a type has two places: the one that it shares with those of other types, and its own. */
  #walkMember(value: unknown, place: string, context: Context): void {
    const type = textOrNull(asObject(value).type);
    if (type === null) return this.#walk(value, place, context);
    this.#note(value, place, context.position);
    this.#walk(value, `${place}<${type}>`, context);
  }

  /** Whether each answer has a place. */
  isInAll(place: string): boolean {
    return this.places.get(place)?.answers.size === this.#answers;
  }

  /** Whether a place is in each of the values that could have it. */
  isAlways(place: string): boolean {
    const above = this.places.get(parentOf(place));
    return above !== undefined && above.count === this.places.get(place)?.count;
  }
}

/** Returns the place around another one; of a kind of event, the empty text. */
export function parentOf(place: string): string {
  return place.slice(0, Math.max(0, place.lastIndexOf("/")));
}
