import { isNode, listAt, type Node, nodeAt, type OpenApiDocument, textAt } from "./document";

/** What a schema says, with the parts of `allOf` put together and OpenAPI 3.0 written as 3.1. */
export type Shape = {
  /** Name of the last reference to it. */
  name: string | undefined;
  /** Allowed types without `null`; none: any. */
  types: Set<string>;
  isNullable: boolean;
  /** Allowed values as JSON; undefined: all of its types. */
  values: Set<string> | undefined;
  properties: Map<string, Node>;
  required: Set<string>;
  items: Node | undefined;
  additional: unknown;
  /** Alternatives of `oneOf` and `anyOf`, without `null`. */
  variants: Set<Node>;
  bounds: Map<string, unknown>;
  isDeprecated: boolean;
  /** What people read of it. */
  texts: Set<string>;
};

export const lowerBounds = ["minLength", "minItems", "minProperties", "minimum", "exclusiveMinimum"] as const;
export const upperBounds = ["maxLength", "maxItems", "maxProperties", "maximum", "exclusiveMaximum"] as const;
const bounds = [...lowerBounds, ...upperBounds, "pattern", "format", "default", "multipleOf", "uniqueItems"] as const;
const texts = ["title", "description"] as const;

const isNull = (node: Node) => node.type === "null" || (Object.hasOwn(node, "const") && node.const === null);

function addTypes(shape: Shape, node: Node): void {
  const types = [node.type].flat().filter((type) => typeof type === "string");
  for (const type of types) if (type !== "null") shape.types.add(type);
  if (types.includes("null") || node.nullable === true) shape.isNullable = true;
}

function addValues(shape: Shape, node: Node): void {
  const given = Object.hasOwn(node, "const") ? [node.const] : Array.isArray(node.enum) ? node.enum : undefined;
  if (given === undefined) return;
  if (given.includes(null)) shape.isNullable = true;
  const values = given.filter((value) => value !== null);
  shape.values = new Set(values.map((value) => JSON.stringify(value)));
  // A schema without a type has that of its values.
  if (node.type === undefined)
    for (const value of values) shape.types.add(Array.isArray(value) ? "array" : typeof value);
}

function addFields(shape: Shape, node: Node): void {
  addTypes(shape, node);
  addValues(shape, node);
  for (const [property, schema] of Object.entries(nodeAt(node, "properties"))) {
    shape.properties.set(property, isNode(schema) ? schema : {});
  }
  for (const property of listAt(node, "required")) if (typeof property === "string") shape.required.add(property);
  if (isNode(node.items)) shape.items = node.items;
  if (node.additionalProperties !== undefined) shape.additional = node.additionalProperties;
  for (const bound of bounds) if (node[bound] !== undefined) shape.bounds.set(bound, node[bound]);
  shape.isDeprecated ||= node.deprecated === true;
  for (const key of texts) if (textAt(node, key) !== "") shape.texts.add(textAt(node, key));
}

/** Adds what another schema says, in which the first one is contained. */
function addShape(shape: Shape, part: Shape): void {
  for (const type of part.types) shape.types.add(type);
  shape.isNullable ||= part.isNullable;
  shape.values = part.values ?? shape.values;
  for (const [name, schema] of part.properties) shape.properties.set(name, schema);
  for (const name of part.required) shape.required.add(name);
  shape.items = part.items ?? shape.items;
  shape.additional = part.additional ?? shape.additional;
  for (const variant of part.variants) shape.variants.add(variant);
  for (const [bound, value] of part.bounds) shape.bounds.set(bound, value);
  shape.isDeprecated ||= part.isDeprecated;
  for (const text of part.texts) shape.texts.add(text);
}

/** Whether a schema is of plain values, so that alternatives of such schemas can be one. */
const isScalar = ({ types, properties, items, variants }: Shape) =>
  types.size > 0 && !types.has("object") && !types.has("array") && properties.size + variants.size === 0 && !items;

/** Reads the schemas of a document, each once. */
export class Shapes {
  readonly #known = new Map<Node, Shape>();
  readonly #open = new Set<Node>();
  /** How often a schema was found to contain itself, which is left out. */
  #cycleCount = 0;

  constructor(readonly document: OpenApiDocument) {}

  /** Returns what a schema says. Throws OpenApiError if that needs too much work. */
  get(given: Node): Shape {
    const { node, name } = this.document.resolveSchema(given);
    const known = this.#known.get(node);
    if (known) return known;
    const shape: Shape = {
      name,
      types: new Set(),
      isNullable: false,
      values: undefined,
      properties: new Map(),
      required: new Set(),
      items: undefined,
      additional: undefined,
      variants: new Set(),
      bounds: new Map(),
      isDeprecated: false,
      texts: new Set(),
    };
    if (this.#open.has(node)) {
      this.#cycleCount += 1;
      return shape;
    }
    const cycleCount = this.#cycleCount;
    this.#open.add(node);
    this.#read(shape, node);
    this.#open.delete(node);
    // What depends on where the circle was entered is not kept.
    if (cycleCount === this.#cycleCount) this.#known.set(node, shape);
    return shape;
  }

  #read(shape: Shape, node: Node): void {
    const target = this.document.resolve(node);
    const parts = [...(target.node === node ? [] : [target.node]), ...listAt(node, "allOf").filter(isNode)];
    for (const part of parts) this.#add(shape, part);
    shape.name ??= target.name;
    addFields(shape, node);
    for (const group of [listAt(node, "oneOf"), listAt(node, "anyOf")]) this.#addAlternatives(shape, group);
    if (shape.types.size === 0 && shape.properties.size > 0) shape.types.add("object");
    if (shape.types.size === 0 && shape.items) shape.types.add("array");
    this.document.spend(1 + Object.keys(node).length + shape.properties.size);
  }

  #add(shape: Shape, part: Node): void {
    const read = this.get(part);
    addShape(shape, read);
    this.document.spend(1 + read.properties.size + read.variants.size + read.texts.size);
  }

  #addAlternatives(shape: Shape, group: readonly unknown[]): void {
    const nodes = group.filter(isNode);
    const variants = nodes.filter((node) => !isNull(this.document.resolve(node).node));
    if (variants.length < nodes.length) shape.isNullable = true;
    const [only] = variants;
    if (only && variants.length === 1) return this.#add(shape, only);
    const shapes = variants.map((variant) => this.get(variant));
    if (!shapes.every(isScalar)) {
      for (const variant of variants) shape.variants.add(variant);
      return;
    }
    const isOpen = shapes.some(({ values }) => values === undefined);
    const values = shapes.flatMap((each) => [...(each.values ?? [])]);
    for (const each of shapes) {
      for (const type of each.types) shape.types.add(type);
      shape.isNullable ||= each.isNullable;
    }
    if (values.length > 0 && !isOpen) shape.values = new Set(values);
  }
}
