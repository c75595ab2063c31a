/** A JSON object of a document. */
export type Node = { readonly [name: string]: unknown };

/** A document cannot be read, or needs too much work. The message says why. */
export class OpenApiError extends Error {
  override readonly name = "OpenApiError";
}

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const nodeAt = (node: Node, name: string): Node => (isNode(node[name]) ? node[name] : {});
export const listAt = (node: Node, name: string): unknown[] => (Array.isArray(node[name]) ? node[name] : []);
export const textAt = (node: Node, name: string): string => (typeof node[name] === "string" ? node[name] : "");

/** Most references from one to the next. */
const maxHops = 20;
/** Most steps of comparing: twenty times those of the largest known document. */
export const maxSteps = 4_000_000;
/** Characters of a text that are read in a step. */
export const charactersPerStep = 20;

/** A document with its references resolved where they are used, and a bound on the work with it. */
export class OpenApiDocument {
  #steps = 0;

  constructor(
    readonly root: Node,
    readonly limit = maxSteps,
  ) {}

  /** Counts steps of work. Throws OpenApiError beyond the bound. */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > this.limit) throw new OpenApiError("the document needs too much work to be compared");
  }

  /** Returns what a node refers to, or itself if that is not in the document, and the name of the last reference. */
  resolve(given: unknown): Resolved {
    return this.#followWhile(isNode(given) ? given : {}, () => true);
  }

  /** Returns a schema as `resolve` does, but not beyond a reference with other fields, which is a schema of its own. */
  resolveSchema(given: Node): Resolved {
    return this.#followWhile(given, (node) => Object.keys(node).length === 1);
  }

  #followWhile(given: Node, mayFollow: (node: Node) => boolean): Resolved {
    let found: Resolved = { node: given, name: undefined };
    for (let hop = 0; hop < maxHops && mayFollow(found.node); hop += 1) {
      const next = this.#follow(found.node);
      if (!next) break;
      found = next;
    }
    return found;
  }

  #follow(node: Node): Resolved | undefined {
    const reference = textAt(node, "$ref");
    if (!reference.startsWith("#/")) return undefined;
    this.spend(1);
    const keys = reference.slice(2).split("/").map(decodeKey);
    let target: unknown = this.root;
    for (const key of keys) target = isNode(target) && Object.hasOwn(target, key) ? target[key] : undefined;
    return isNode(target) ? { node: target, name: keys.at(-1) } : undefined;
  }
}

type Resolved = { node: Node; name: string | undefined };

function decodeKey(key: string): string {
  const slashed = key.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(slashed);
  } catch {
    return slashed;
  }
}
