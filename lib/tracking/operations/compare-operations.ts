import { type Difference, deprecation, difference, SchemaComparison, type Target } from "./compare-schemas";
import { compareSecurity } from "./compare-security";
import { compareSunsets, compareTexts, textChange } from "./compare-texts";
import { charactersPerStep, isNode, maxSteps, type Node, nodeAt, OpenApiDocument, textAt } from "./document";
import { type Operation, operationsOf, patternOf, serversOf, withoutNames } from "./list-operations";

/** What changed of an operation, as it is stored. */
export type OperationChange = {
  /** In upper case. */
  method: string;
  /** As in the document, such as `/models/{model}`. */
  path: string;
  /** Where it is called, with the path's parameters in braces. */
  urls: string[];
  /** Regular expression of `POST host/path` for the calls of it. */
  pattern: string;
  kind: "added" | "removed" | "changed";
  breaking: boolean;
  docOnly: boolean;
  /** The first ones; breaking ones come first. */
  differences: Difference[];
  /** Including those that are left out. */
  differenceCount: number;
  /** 1 to 5. */
  significance: number;
};

/** Most differences kept of an operation, and operations of a change: the most significant. */
const maxDifferenceCount = 20;
export const maxOperationCount = 2_000;

const isSuccess = (status: string) => /^[23]|^default$/.test(status);
/** Fields of an operation that are compared otherwise than as texts, but callbacks, which no client sends. */
const comparedFields = new Set([
  "parameters",
  "requestBody",
  "responses",
  "deprecated",
  "security",
  "servers",
  "callbacks",
  "summary",
  "description",
  "x-sunset",
  "x-sunset-date",
]);

class OperationComparison {
  readonly #found: Difference[] = [];

  constructor(
    readonly schemas: SchemaComparison,
    readonly before: Operation,
    readonly after: Operation,
  ) {}

  #report(target: Difference["target"], at: string, change: string, breaking: boolean): void {
    this.#found.push(difference(target, { at, change, breaking }));
  }

  #compareTexts(was: Node, is: Node, target: Difference["target"], at: string, hasOther = false): void {
    const textOf = (node: Node) => ["summary", "description"].map((field) => textAt(node, field)).join("\n");
    const [old, text] = [textOf(was), textOf(is)];
    this.schemas.after.spend(Math.ceil((old.length + text.length) / charactersPerStep));
    const found = compareTexts(old, text) ?? (hasOther ? textChange : undefined);
    if (found) this.#found.push(difference(target, { at, ...found }));
  }

  run(): Difference[] {
    const [was, is] = [this.before.node, this.after.node];
    if (was.deprecated !== true && is.deprecated === true)
      this.#found.push(difference("operation", { at: "", ...deprecation }));
    const security = compareSecurity(this.schemas, was, is);
    if (security) this.#found.push(difference("operation", { at: "", ...security }));
    this.#compareServers();
    this.#compareParameters();
    this.#compareBodies();
    this.#compareResponses();
    const sunset = compareSunsets(was, is);
    if (sunset) this.#found.push(difference("operation", { at: "", ...sunset }));
    const others = (node: Node) => JSON.stringify(Object.entries(node).filter(([field]) => !comparedFields.has(field)));
    this.#compareTexts(was, is, "operation", "", others(was) !== others(is));
    return this.#found;
  }

  #compareServers(): void {
    const placesOf = ({ urls }: Operation) => new Set(urls.map(withoutNames));
    const left = (from: Operation, places: ReadonlySet<string>) => ({
      ...from,
      urls: from.urls.filter((url) => !places.has(withoutNames(url))),
    });
    const gone = serversOf(left(this.before, placesOf(this.after)));
    const added = serversOf(left(this.after, placesOf(this.before)));
    const parts = [added && `is at ${added}${gone ? "" : " too"}`, gone && `${added ? "" : "is "}no longer at ${gone}`];
    if (gone || added) this.#report("operation", "", parts.filter(Boolean).join(", "), gone !== "");
  }

  #compareParameters(): void {
    const [old, now] = [this.before.parameters, this.after.parameters];
    for (const [at, was] of old) {
      const is = now.get(at);
      if (!is) {
        this.#report("request", at, "was removed", true);
        continue;
      }
      this.#compareRequired(was, is, at);
      if (was.deprecated !== true && is.deprecated === true)
        this.#found.push(difference("request", { at, ...deprecation }));
      this.#found.push(...this.schemas.compare(was.schema, is.schema, at, "request"));
      this.#compareMedia(was, is, at, "request");
      this.#compareTexts(was, is, "request", at);
    }
    for (const [at, { required }] of now) {
      const isRequired = required === true;
      if (!old.has(at)) this.#report("request", at, isRequired ? "was added and is required" : "was added", isRequired);
    }
  }

  #compareRequired(was: Node, is: Node, at: string): void {
    const isRequired = is.required === true;
    if ((was.required === true) !== isRequired)
      this.#report("request", at, isRequired ? "is required" : "is optional", isRequired);
  }

  #compareBodies(): void {
    const [given, later] = [this.before.node.requestBody, this.after.node.requestBody];
    if (given === undefined && later === undefined) return;
    const [was, is] = [this.schemas.before.resolve(given).node, this.schemas.after.resolve(later).node];
    if (later === undefined) return this.#report("request", "body", "was removed", true);
    if (given === undefined) return this.#report("request", "body", "was added", is.required === true);
    this.#compareRequired(was, is, "body");
    this.#compareMedia(was, is, "body", "request");
  }

  #compareMedia(was: Node, is: Node, at: string, target: Target): void {
    const byType = (node: Node) =>
      new Map(
        Object.entries(nodeAt(node, "content")).map(([type, media]) => [
          type.replace(/;.*/, "").trim().toLowerCase(),
          isNode(media) ? media : {},
        ]),
      );
    const [old, now] = [byType(was), byType(is)];
    for (const [type, media] of old) {
      const other = now.get(type);
      if (other) this.#found.push(...this.schemas.compare(media.schema, other.schema, at, target));
      else this.#report(target, at, `is no longer ${type}`, true);
    }
    for (const type of now.keys()) if (!old.has(type)) this.#report(target, at, `may be ${type}`, false);
  }

  #compareResponses(): void {
    const [old, now] = [nodeAt(this.before.node, "responses"), nodeAt(this.after.node, "responses")];
    for (const [status, given] of Object.entries(old)) {
      if (now[status] === undefined) {
        this.#report("response", status, "was removed", isSuccess(status));
        continue;
      }
      const [was, is] = [this.schemas.before.resolve(given).node, this.schemas.after.resolve(now[status]).node];
      this.#compareMedia(was, is, status, "response");
      this.#compareTexts(was, is, "response", status);
    }
    for (const status of Object.keys(now))
      if (old[status] === undefined) this.#report("response", status, "was added", false);
  }
}

type Judged = Pick<OperationChange, "kind" | "breaking" | "docOnly" | "differences">;

function judge({ kind, breaking, docOnly, differences }: Judged) {
  if (breaking) return 5;
  const least = differences.map(({ significance, deprecates }) => significance ?? (deprecates ? 4 : 1));
  return Math.max(kind === "added" ? 3 : docOnly ? 1 : 2, ...least);
}

const rank = ({ breaking, deprecates, docOnly }: Difference) => (breaking ? 0 : deprecates ? 1 : docOnly ? 3 : 2);

function toChange({ method, path, urls, pattern }: Operation, kind: OperationChange["kind"], found: Difference[] = []) {
  const breaking = kind === "removed" || found.some((each) => each.breaking);
  const docOnly = kind === "changed" && found.every((each) => each.docOnly);
  const significance = judge({ kind, breaking, docOnly, differences: found });
  const differences = [...found].sort((a, b) => rank(a) - rank(b)).slice(0, maxDifferenceCount);
  const judged = { kind, breaking, docOnly, differences, differenceCount: found.length, significance };
  return { method, path, urls, pattern, ...judged };
}

type Version = {
  document: Node;
  /** URL that it was read from, to which servers without a host are relative. */
  url: string;
};

/** Returns an operation with the URLs of both versions: calls of the older one are its calls too. */
function atBothUrls(was: Operation, is: Operation): Operation {
  if (was.pattern === is.pattern) return is;
  const urls = [...new Set([...is.urls, ...was.urls])];
  return { ...is, urls, pattern: patternOf(is.method, urls) };
}

/**
 * Returns what changed of the operations from a document to a later one, the most significant first. The names of parameters in
 * paths are not part of an operation. Throws OpenApiError beyond `limit` steps of work.
 */
export function compareOperations(before: Version, after: Version, limit = maxSteps): OperationChange[] {
  const [older, newer] = [new OpenApiDocument(before.document, limit), new OpenApiDocument(after.document, limit)];
  const schemas = new SchemaComparison(older, newer);
  const [old, now] = [operationsOf(older, before.url), operationsOf(newer, after.url)];
  const changes: OperationChange[] = [];
  for (const [key, was] of old) {
    const is = now.get(key);
    const found = is ? new OperationComparison(schemas, was, is).run() : [];
    if (!is) changes.push(toChange(was, "removed"));
    else if (found.length > 0) changes.push(toChange(atBothUrls(was, is), "changed", found));
  }
  for (const [key, operation] of now) if (!old.has(key)) changes.push(toChange(operation, "added"));
  return changes.sort((a, b) => b.significance - a.significance).slice(0, maxOperationCount);
}
