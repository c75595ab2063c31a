import { compareTexts } from "./compare-texts";
import { charactersPerStep, isNode, type Node, type OpenApiDocument } from "./document";
import { matchVariants, type Variant } from "./match-variants";
import { lowerBounds, type Shape, Shapes, upperBounds } from "./shape";

/** Whether clients send what a schema describes, or receive it. */
export type Target = "request" | "response";

/** A difference of an operation. */
export type Difference = {
  target: Target | "operation";
  /** What differs, such as `Message.content[].type`; empty: the operation itself. */
  at: string;
  /** How, such as `is required`. */
  change: string;
  /** Whether it can break a client that follows the older document. */
  breaking: boolean;
  /** Whether only texts differ. */
  docOnly: boolean;
  deprecates: boolean;
  /** The least significance of the operation's change, if that does not follow from the others. */
  significance?: number;
};

type Found = Pick<Difference, "at" | "change"> & Partial<Difference>;

/** Returns a difference that is neither breaking nor of texts alone, unless it says so. */
export const difference = (target: Difference["target"], found: Found): Difference => {
  return { target, breaking: false, docOnly: false, deprecates: false, ...found };
};

export const deprecation = { change: "is deprecated", deprecates: true } as const;

type Pair = { before: Node; after: Node; at: string };
/** The differences of two schemas, and the pairs of schemas that they refer to. */
type Local = { differences: Difference[]; pairs: Pair[] };
type Versions = { before: Shape; after: Shape };
type Place = { at: string; target: Target; local: Local };

const isWider = (wider: ReadonlySet<string>, narrower: ReadonlySet<string>) =>
  wider.size === 0 ||
  (narrower.size > 0 && [...narrower].every((type) => wider.has(type) || (type === "integer" && wider.has("number"))));

/** Most characters of values in a difference. */
const maxValuesLength = 200;
export function listValues(values: Iterable<unknown>): string {
  const text = [...values].join(", ");
  return text.length > maxValuesLength ? `${text.slice(0, maxValuesLength)}…` : text;
}
const typesOf = ({ types }: Shape) => listValues(types) || "any";

/** Compares the schemas of two documents, each pair once, however often it is used. */
export class SchemaComparison {
  readonly #known = { request: new Map<Node, Map<Node, Local>>(), response: new Map<Node, Map<Node, Local>>() };

  readonly #old: Shapes;
  readonly #now: Shapes;

  constructor(
    readonly before: OpenApiDocument,
    readonly after: OpenApiDocument,
  ) {
    this.#old = new Shapes(before);
    this.#now = new Shapes(after);
  }

  /** Returns the differences of two schemas and of all that they refer to. Throws OpenApiError. */
  compare(before: unknown, after: unknown, at: string, target: Target): Difference[] {
    const found = new Set<Difference>();
    const seen = new Set<Local>();
    const queue: Pair[] = [{ before: isNode(before) ? before : {}, after: isNode(after) ? after : {}, at }];
    for (let pair = queue.pop(); pair; pair = queue.pop()) {
      const local = this.#compareOnce(pair, target);
      if (seen.has(local)) continue;
      seen.add(local);
      this.after.spend(1 + local.pairs.length + local.differences.length);
      for (const each of local.differences) found.add(each);
      queue.push(...local.pairs);
    }
    return [...found];
  }

  #compareOnce({ before, after, at }: Pair, target: Target): Local {
    const [old, now] = [this.before.resolveSchema(before), this.after.resolveSchema(after)];
    const known = this.#known[target].get(old.node) ?? new Map<Node, Local>();
    this.#known[target].set(old.node, known);
    const compared = known.get(now.node);
    if (compared) return compared;
    const local: Local = { differences: [], pairs: [] };
    known.set(now.node, local);
    const shapes = { before: this.#old.get(before), after: this.#now.get(after) };
    this.#compareShapes(shapes, { at: now.name ?? old.name ?? at, target, local });
    return local;
  }

  #compareShapes({ before, after }: Versions, place: Place): void {
    const { at, target, local } = place;
    const report = (found: Partial<Found> & { change: string }) =>
      local.differences.push(difference(target, { at, ...found }));
    if (before.isNullable !== after.isNullable)
      report({
        change: after.isNullable ? "may be null" : "may no longer be null",
        breaking: (target === "request") === before.isNullable,
      });
    if (!before.isDeprecated && after.isDeprecated) report(deprecation);
    const [oldText = "", text = ""] = [before, after].map(({ texts }) => [...texts].join("\n"));
    this.after.spend(Math.ceil((oldText.length + text.length) / charactersPerStep));
    const textChange = compareTexts(oldText, text);
    if (textChange) report(textChange);
    if (before.variants.size > 0 || after.variants.size > 0) this.#compareVariants({ before, after }, place);
    // One that has alternatives is compared with the other as one of them.
    if ((before.variants.size === 0) !== (after.variants.size === 0)) return;
    if (before.variants.size === 0) compareTypes({ before, after }, place);
    compareValues({ before, after }, place);
    compareBounds({ before, after }, place);
    compareProperties({ before, after }, place);
    if (before.items && after.items) local.pairs.push({ before: before.items, after: after.items, at: `${at}[]` });
    const [was = true, is = true] = [before.additional, after.additional];
    if (isNode(was) && isNode(is)) local.pairs.push({ before: was, after: is, at: `${at}.*` });
    else if (JSON.stringify(was) !== JSON.stringify(is))
      report({
        change: is === false ? "has no other properties" : "has other properties of another kind",
        breaking: target === "request" && is === false,
      });
  }

  #compareVariants({ before, after }: Versions, { at, target, local }: Place): void {
    const variantsOf = (shape: Shape, shapes: Shapes): Variant[] =>
      shape.variants.size === 0
        ? [{ node: undefined, shape }]
        : [...shape.variants].map((node) => ({ node, shape: shapes.get(node) }));
    const [old, now] = [variantsOf(before, this.#old), variantsOf(after, this.#now)];
    this.after.spend(old.length * now.length * 10);
    const matched = matchVariants(old, now);
    for (const [was, is] of matched) {
      if (was.node && is.node) local.pairs.push({ before: was.node, after: is.node, at });
      else
        this.#compareShapes(
          { before: { ...was.shape, variants: new Set() }, after: { ...is.shape, variants: new Set() } },
          { at, target, local },
        );
    }
    const nameOf = ({ shape }: Variant) => shape.name ?? typesOf(shape);
    for (const each of old) {
      if (matched.some(([was]) => was === each)) continue;
      const change = `is no longer one of ${nameOf(each)}`;
      local.differences.push(difference(target, { at, change, breaking: target === "request" }));
    }
    for (const each of now) {
      if (matched.some(([, is]) => is === each)) continue;
      local.differences.push(difference(target, { at, change: `may be ${nameOf(each)}` }));
    }
  }
}

function compareTypes({ before, after }: Versions, { at, target, local }: Place): void {
  const [isWidened, isNarrowed] = [isWider(after.types, before.types), isWider(before.types, after.types)];
  if (isWidened && isNarrowed) return;
  const change = `is ${typesOf(after)} instead of ${typesOf(before)}`;
  local.differences.push(difference(target, { at, change, breaking: target === "request" ? !isWidened : !isNarrowed }));
}

/**
 * Compares the allowed values. A client that reads them must expect new ones, but not values of any kind, where there
 * was a list of them.
 */
function compareValues(
  { before: { values: was }, after: { values: is } }: Versions,
  { at, target, local }: Place,
): void {
  const report = (change: string, breaking: boolean) =>
    local.differences.push(difference(target, { at, change, breaking }));
  if (!was && is) return void report(`has only the values ${listValues(is)}`, target === "request");
  if (was && !is) return void report("may have any value", target === "response");
  const added = [...(is ?? [])].filter((value) => !was?.has(value));
  const removed = [...(was ?? [])].filter((value) => !is?.has(value));
  if (added.length > 0) report(`may be ${listValues(added)}`, false);
  if (removed.length > 0) report(`may no longer be ${listValues(removed)}`, target === "request");
}

function compareBounds({ before, after }: Versions, { at, target, local }: Place): void {
  const isOneOf = (names: readonly string[], name: string) => names.includes(name);
  for (const bound of new Set([...before.bounds.keys(), ...after.bounds.keys()])) {
    const [was, is] = [before.bounds.get(bound), after.bounds.get(bound)];
    if (JSON.stringify(was) === JSON.stringify(is)) continue;
    let isTighter = is !== undefined && bound !== "default";
    if (isOneOf(lowerBounds, bound)) isTighter = Number(is ?? -Infinity) > Number(was ?? -Infinity);
    if (isOneOf(upperBounds, bound)) isTighter = Number(is ?? Infinity) < Number(was ?? Infinity);
    const values = [is, was].map((value) => listValues([value === undefined ? "none" : JSON.stringify(value)]));
    const change = `has the ${bound} ${values[0]} instead of ${values[1]}`;
    local.differences.push(difference(target, { at, change, breaking: target === "request" && isTighter }));
  }
}

function compareProperties({ before, after }: Versions, { at: parent, target, local }: Place): void {
  const report = (at: string, change: string, breaking: boolean) =>
    local.differences.push(difference(target, { at, change, breaking }));
  for (const [name, was] of before.properties) {
    const is = after.properties.get(name);
    const at = `${parent}.${name}`;
    if (!is) {
      report(at, "was removed", true);
      continue;
    }
    local.pairs.push({ before: was, after: is, at });
    const isRequired = after.required.has(name);
    if (before.required.has(name) !== isRequired)
      report(at, isRequired ? "is required" : "is optional", (target === "request") === isRequired);
  }
  for (const name of after.properties.keys()) {
    if (before.properties.has(name)) continue;
    const isRequired = after.required.has(name);
    report(
      `${parent}.${name}`,
      isRequired ? "was added and is required" : "was added",
      target === "request" && isRequired,
    );
  }
}
