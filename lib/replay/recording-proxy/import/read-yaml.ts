import { foldLines, resolvePlain, type Scalar, trimSpaces } from "./yaml-scalars";
import { plainEnd, YamlText } from "./yaml-text";

export type YamlValue = Scalar | Uint8Array | YamlValue[] | { [name: string]: YamlValue };

/** Most nested collections. */
const maxDepth = 200;
/** Most nodes of a document, where each alias counts as many as it stands for. */
const maxNodeCount = 5_000_000;

type Anchored = { value: YamlValue; nodeCount: number };
/** A value, and its text if it is a scalar. */
type Node = [value: YamlValue, text: string | null];
type Properties = { tag: string | null; anchor: string | null };

const textTags = new Set(["!!str", "!str"]);
/** `!` is for text in YAML 1.2, and for any scalar in 1.1. */
const plainTags = new Set(["!!null", "!!bool", "!!int", "!!float"]);
const binaryTags = new Set(["!!binary", "!binary"]);
const collectionTags = new Set(["!!map", "!!seq"]);

/** Where a plain scalar in brackets ends. It may go over several lines. */
const flowEnd = /:(?=[ \t\n,[\]{}]|$)|(?<=[ \t\n])#|[,[\]{}]/g;

/**
 * Reads the YAML that recorders of HTTP write: PyYAML, Psych and go-yaml. Whatever it does not know for certain is an error:
 * other tags, merge keys, keys that are no scalars, and further documents.
 */
class YamlReader {
  readonly #text: YamlText;
  #depth = 0;
  #nodeCount = 0;
  readonly #anchors = new Map<string, Anchored>();

  constructor(text: string) {
    this.#text = new YamlText(text);
  }

  read(): YamlValue {
    this.#text.skip();
    while (this.#text.match(/%.*/y)) this.#text.skip();
    if (this.#text.match(/---(?=[ \t\n]|$)/y)) this.#text.skip();
    const value = this.#block(-1);
    this.#text.skip();
    if (this.#text.match(/\.\.\.(?=[ \t\n]|$)/y)) this.#text.skip();
    if (!this.#text.isAtEndOfText()) this.#text.fail("is not part of the document before it");
    return value;
  }

  #count(nodes: number): void {
    this.#nodeCount += nodes;
    if (this.#nodeCount > maxNodeCount) this.#text.fail(`the document has more than ${maxNodeCount} values`);
  }

  #properties(): Properties {
    const properties: Properties = { tag: null, anchor: null };
    for (;;) {
      const [, kind, name = ""] = this.#text.match(/([!&])([^ \t\n,[\]{}]*)(?=[ \t\n,\]}]|$)/y) ?? [];
      if (kind === undefined) return properties;
      if (kind === "&") properties.anchor = name;
      else properties.tag = kind + name;
      this.#text.match(/[ \t]+/y);
    }
  }

  /** Applies the tag and the anchor of a value. */
  #finish([value, text]: Node, { tag, anchor }: Properties, nodesBefore: number, at: number): YamlValue {
    let tagged = value;
    if (tag !== null && text !== null) tagged = this.#tagged(tag, text, at);
    else if (tag !== null && !collectionTags.has(tag)) this.#text.fail(`the tag ${tag} is not supported`, at);
    if (anchor !== null) this.#anchors.set(anchor, { value: tagged, nodeCount: this.#nodeCount - nodesBefore });
    return tagged;
  }

  #tagged(tag: string, text: string, at: number): YamlValue {
    if (textTags.has(tag)) return text;
    const plain = resolvePlain(text);
    if (plainTags.has(tag) ? plain !== text : tag === "!" && plain === text) return plain;
    if (!binaryTags.has(tag))
      this.#text.fail(`the tag ${tag} is not supported for ${JSON.stringify(text.slice(0, 40))}`, at);
    if (!/^[A-Za-z0-9+/\s]*=?\s*=?\s*$/.test(text)) this.#text.fail("is not valid base64", at);
    return Buffer.from(text, "base64");
  }

  /** Reads a value in block style that is further to the right than its parent. */
  #block(parent: number, isInMapping = false): YamlValue {
    const [start, nodesBefore] = [this.#text.at, this.#nodeCount];
    const line = this.#text.line();
    this.#text.skip();
    const properties = this.#properties();
    const hasProperties = properties.tag !== null || properties.anchor !== null;
    const [end, lineOfProperties] = [this.#text.at, this.#text.line()];
    this.#text.skip();
    this.#count(1);
    const isOnNextLine = parent < 0 || this.#text.line() !== line;
    const isSequence = this.#text.sees(/-(?=[ \t\n]|$)/y);
    const isInside = this.#text.column > parent || (isSequence && isInMapping && this.#text.column === parent);
    if (this.#text.isAtEnd() || (isOnNextLine && !isInside)) {
      this.#text.at = hasProperties ? end : start;
      return this.#finish([null, ""], properties, nodesBefore, start);
    }
    // What is on the line of a key belongs to the key.
    const mayBeCollection = isOnNextLine && (!hasProperties || this.#text.line() !== lineOfProperties);
    return this.#finish(this.#content(parent, mayBeCollection, isSequence), properties, nodesBefore, start);
  }

  /** Reads a value after its tag and anchor. */
  #content(parent: number, mayBeCollection: boolean, isSequence: boolean): Node {
    if (mayBeCollection && isSequence) return [this.#nested(() => this.#sequence(this.#text.column)), null];
    if (mayBeCollection && this.#text.isKey()) return [this.#nested(() => this.#mapping(this.#text.column)), null];
    if (this.#text.sees(/[|>]/y)) {
      const text = this.#text.blockScalar(parent);
      return [text, text];
    }
    return this.#inline(() => this.#text.plain(parent));
  }

  /** Reads an alias, a collection in brackets, or a quoted or plain scalar, which may go over several lines. */
  #inline(readPlain: () => string): Node {
    const [, name] = this.#text.match(/\*([^ \t\n,[\]{}]+)/y) ?? [];
    if (name !== undefined) return [this.#alias(name), null];
    if (this.#text.sees(/[[{]/y)) return [this.#nested(() => this.#flow()), null];
    if (this.#text.sees(/["']/y)) {
      const text = this.#text.quoted();
      return [text, text];
    }
    if (this.#text.sees(/[%@`|>&*!#]|[-?:](?=[ \t\n]|$)/y)) this.#text.fail("cannot be read");
    const text = readPlain();
    return [resolvePlain(text), text];
  }

  #alias(name: string): YamlValue {
    const anchored = this.#anchors.get(name);
    if (!anchored) this.#text.fail(`*${name} refers to nothing`);
    this.#count(anchored.nodeCount);
    return anchored.value;
  }

  #nested<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > maxDepth) this.#text.fail(`is nested more than ${maxDepth} times`);
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #sequence(column: number): YamlValue[] {
    const items: YamlValue[] = [];
    while (!this.#text.isAtEnd() && this.#text.column === column && this.#text.match(/-(?=[ \t\n]|$)/y)) {
      items.push(this.#item(column));
      this.#text.skip();
    }
    this.#endCollection(column);
    return items;
  }

  /** Reads what follows `-`, `?` or `:` of a collection: a collection may begin on the same line. */
  #item(column: number): YamlValue {
    this.#text.match(/[ \t]+/y);
    const isCompact = this.#text.isKey() || this.#text.sees(/-(?=[ \t\n]|$)/y);
    if (!isCompact) return this.#block(column);
    this.#count(1);
    return this.#content(column, true, this.#text.sees(/-(?=[ \t\n]|$)/y))[0];
  }

  #mapping(column: number): YamlValue {
    const entries = new Map<string, YamlValue>();
    while (!this.#text.isAtEnd() && this.#text.column === column && this.#text.isKey()) {
      const at = this.#text.at;
      if (this.#text.match(/\?(?=[ \t\n])/y)) {
        const key = this.#item(column);
        this.#text.skip();
        if (this.#text.column !== column || !this.#text.match(/:(?=[ \t\n]|$)/y)) this.#text.fail("a key has no value");
        this.#add(entries, key, this.#item(column), at);
      } else {
        const [key] = this.#inline(() => trimSpaces(this.#text.take(plainEnd)));
        this.#text.match(/[ \t]*:/y);
        this.#add(entries, key, this.#block(column, true), at);
      }
      this.#text.skip();
    }
    this.#endCollection(column);
    return Object.fromEntries(entries);
  }

  #add(entries: Map<string, YamlValue>, key: YamlValue, value: YamlValue, at: number): void {
    if (key !== null && typeof key === "object") this.#text.fail("a key is not a scalar", at);
    const name = String(key);
    if (name === "<<") this.#text.fail("merge keys are not supported", at);
    if (entries.has(name)) this.#text.fail(`the key ${JSON.stringify(name.slice(0, 80))} occurs twice`, at);
    entries.set(name, value);
  }

  /** Checks that what follows a collection belongs to one around it. */
  #endCollection(column: number): void {
    if (!this.#text.isAtEnd() && this.#text.column > column)
      this.#text.fail("cannot be read: is its indentation right?");
  }

  /** Reads a list or a mapping in brackets. */
  #flow(): YamlValue {
    const isList = this.#text.match(/[[{]/y)?.[0] === "[";
    const items: YamlValue[] = [];
    const entries = new Map<string, YamlValue>();
    for (;;) {
      this.#text.skip();
      if (this.#text.match(isList ? /\]/y : /\}/y)) return isList ? items : Object.fromEntries(entries);
      const at = this.#text.at;
      this.#text.match(/\?(?=[ \t\n])/y);
      const key = this.#flowItem();
      this.#text.skip();
      if (isList) items.push(key);
      else this.#add(entries, key, this.#text.match(/:/y) ? this.#flowItem() : null, at);
      this.#text.skip();
      if (!this.#text.match(/,/y) && !this.#text.sees(/[\]}]/y))
        this.#text.fail("a comma or a closing bracket is missing");
    }
  }

  #flowItem(): YamlValue {
    this.#text.skip();
    const [at, nodesBefore] = [this.#text.at, this.#nodeCount];
    this.#count(1);
    const properties = this.#properties();
    if (this.#text.sees(/[,\]}]|$/y)) return this.#finish([null, ""], properties, nodesBefore, at);
    const node = this.#inline(() => foldLines(trimSpaces(this.#text.take(flowEnd))));
    return this.#finish(node, properties, nodesBefore, at);
  }
}

/** Reads a YAML document. Throws YamlError. */
export function readYaml(text: string): YamlValue {
  return new YamlReader(text).read();
}
