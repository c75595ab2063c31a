import { listValues } from "./compare-schemas";
import { isNode, listAt, type Node, nodeAt, type OpenApiDocument, textAt } from "./document";

/** What a client needs to be let in: `HTTP bearer`, `the header x-api-key`, `the scope read`. */
type Credentials = ReadonlySet<string>;

/** Most alternatives of an operation that are compared. */
const maxAlternativeCount = 100;

/** In place of what a scheme needs that the document does not describe. */
const unknown = "an undefined scheme";

/** Returns the ways in which a scheme is used: one for each flow of OAuth 2, as a client needs only one of them. */
function waysOf(document: OpenApiDocument, name: string): string[] {
  const { node } = document.resolve(nodeAt(nodeAt(document.root, "components"), "securitySchemes")[name]);
  const type = textAt(node, "type");
  if (type === "http") return [`HTTP ${textAt(node, "scheme").toLowerCase()}`];
  if (type === "apiKey") {
    const [place, key] = [textAt(node, "in"), textAt(node, "name")];
    return [`the ${place} ${place === "header" ? key.toLowerCase() : key}`];
  }
  if (type === "openIdConnect") return [`OpenID Connect (${textAt(node, "openIdConnectUrl")})`];
  const flows = Object.entries(nodeAt(node, "flows")).filter(([, flow]) => isNode(flow)) as [string, Node][];
  const ways = flows.map(([flow, urls]) => {
    const places = ["authorizationUrl", "deviceAuthorizationUrl", "tokenUrl"].map((field) => textAt(urls, field));
    return `OAuth 2 (${[flow, ...places].filter(Boolean).join(" ")})`;
  });
  if (ways.length > 0) return ways;
  return [type === "mutualTLS" ? "mutual TLS" : type === "oauth2" ? "OAuth 2" : unknown];
}

/** Returns the alternatives by which an operation lets clients in; one without credentials lets everyone in. */
function alternativesOf(document: OpenApiDocument, operation: Node): Credentials[] {
  // What is no list, such as `security:` without a value in YAML, states nothing.
  const stated = listAt(Array.isArray(operation.security) ? operation : document.root, "security");
  const isSilent = stated.length === 0 && document.root.security === undefined && operation.security === undefined;
  const schemes = nodeAt(nodeAt(document.root, "components"), "securitySchemes");
  // A document without any scheme says nothing of credentials.
  if (isSilent && Object.keys(schemes).length === 0) return [new Set([unknown])];
  const found = (stated.length > 0 ? stated : [{}]).slice(0, maxAlternativeCount).flatMap((requirement) => {
    let alternatives: string[][] = [[]];
    for (const [name, scopes] of Object.entries(isNode(requirement) ? requirement : { [String(requirement)]: [] })) {
      const needed = Array.isArray(scopes) ? scopes.map((scope) => `the scope ${scope}`) : [];
      const ways = waysOf(document, name);
      document.spend(alternatives.length * ways.length * (1 + needed.length));
      alternatives = alternatives
        .flatMap((each) => ways.map((way) => [...each, way, ...needed]))
        .slice(0, maxAlternativeCount);
    }
    return alternatives.map((each) => new Set(each));
  });
  document.spend(1 + found.length);
  return found.slice(0, maxAlternativeCount);
}

const describe = (alternatives: readonly Credentials[]) =>
  listValues([[...new Set(alternatives.map((each) => [...each].join(" and ") || "no credentials"))].join(" or ")]);

function suffices(sent: Credentials, required: Credentials): boolean {
  for (const each of required) if (!sent.has(each)) return false;
  return true;
}

type Versions = { before: OpenApiDocument; after: OpenApiDocument };

/**
 * Returns how an operation lets clients in now, if that differs: it breaks those whose credentials no longer suffice. Names of
 * schemes do not count.
 */
export function compareSecurity({ before, after }: Versions, was: Node, is: Node) {
  const [old, now] = [alternativesOf(before, was), alternativesOf(after, is)];
  // Of a scheme that a document does not define, nothing is known: neither what is lost, nor whether it is needed.
  const lost = old.filter(
    (each) => !each.has(unknown) && !now.some((required) => required.has(unknown) || suffices(each, required)),
  );
  const gained = now.filter((each) => !each.has(unknown) && !old.some((required) => suffices(each, required)));
  if (lost.length === 0)
    return gained.length === 0 ? undefined : { change: `may be called with ${describe(gained)}`, significance: 3 };
  const isPart = lost.length < old.length && gained.length === 0;
  const change = isPart
    ? `may no longer be called with ${describe(lost)}`
    : `requires ${describe(now)} instead of ${describe(old)}`;
  return { change, breaking: true };
}
