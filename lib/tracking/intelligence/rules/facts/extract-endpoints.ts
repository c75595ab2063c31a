import { maxReadLineLength, shownOf } from "../text/plain-text";
import type { ReadLine } from "../text/read-lines";
import { lastNameOf } from "../text/subject";
import type { ValueFact } from "./value-fact";

const endpoint =
  /(?<![\w.:/])(?:(?:GET|POST|PUT|PATCH|DELETE)\s+)?\/(?:api\/)?v\d+(?:(?:beta|alpha)\d*)?(?:\/[\w{}:<>.-]{1,60}){1,8}/g;
const parameter =
  /<(?:ParamField|ResponseField)\b[^>]{0,200}?\b(?:path|body|query|header|name)=["']([\w.[\]-]{1,60})["']/;

const endpointsOf = (text: string) => {
  const found = text.slice(0, maxReadLineLength).match(endpoint) ?? [];
  return [...new Set(found.map((path) => path.replace(/[:.-]+$/, "")))];
};
const address = /https?:\/\/[^\s"'`\\<>()]{4,200}/g;
/** Returns the addresses that code calls, without their queries. */
const addressesOf = ({ text, isCode }: ReadLine) =>
  isCode
    ? [
        ...new Set(
          (text.slice(0, maxReadLineLength).match(address) ?? []).map((url) =>
            url.replace(/[?#].*$/, "").replace(/[.,;]+$/, ""),
          ),
        ),
      ]
    : [];

const without = (names: readonly string[], others: readonly string[]) => names.filter((name) => !others.includes(name));
const parameterOf = (text: string) => parameter.exec(text.slice(0, maxReadLineLength))?.[1];

const documented = /^ {0,3}#{1,6}\s.*?\b((?:GET|POST|PUT|PATCH|DELETE) \/[\w{}:./-]{1,120})/;
const routeTag = /^\s*<\w+ method=["'](GET|POST|PUT|PATCH|DELETE)["']>/;

/** Returns the operation that a new heading or tag documents: `GET /v1/limits`. */
function operationOf({ text, isCode }: ReadLine): string | undefined {
  if (isCode) return undefined;
  const line = text.slice(0, maxReadLineLength);
  const method = routeTag.exec(line)?.[1];
  if (!method) return documented.exec(line)?.[1];
  return operation.exec(`${method} ${shownOf(line).replaceAll(" ", "")}`)?.[0];
}

/** Returns the operation that a new line documents, if the older text does not have its path anywhere. */
export function readNewEndpoints(line: ReadLine, isInOlder: (value: string) => boolean): ValueFact[] {
  const now = line.partner ? undefined : operationOf(line);
  if (!now || isInOlder(pathOf(now))) return [];
  return [{ kind: "endpoint", line, subject: lastNameOf(line.path), old: "", now }];
}

/** Returns the endpoint that a line renames, and the parameter that it adds. */
export function readEndpoints(line: ReadLine): ValueFact[] {
  const subject = lastNameOf(line.path);
  if (line.partner) {
    const [urls, oldUrls] = [addressesOf(line), addressesOf(line.partner)];
    const [old, now] =
      urls.length > 0 && oldUrls.length > 0
        ? [oldUrls, urls]
        : [endpointsOf(line.partner.text), endpointsOf(line.text)];
    const [gone, come] = [without(old, now), without(now, old)];
    const isRenamed = gone.length === 1 && come.length === 1;
    return isRenamed ? [{ kind: "endpoint", line, subject, old: gone[0]!, now: come[0]! }] : [];
  }
  const added = parameterOf(line.text);
  return added ? [{ kind: "parameter", line, subject, old: "", now: added }] : [];
}

const operation = /\b(?:GET|POST|PUT|PATCH|DELETE)\s+(\/[\w{}:./-]{1,120})/;

/** Returns the endpoints that renamed sections of a reference document, each with a line of the section. */
export function readRenamedEndpoints(
  renamed: readonly { from: string; to: string }[],
  added: readonly ReadLine[],
): ValueFact[] {
  return renamed.flatMap(({ from, to }) => {
    const [old, now] = [operation.exec(lastNameOf(from))?.[0], operation.exec(lastNameOf(to))?.[0]];
    const line = added.find(({ path }) => path === to);
    if (!old || !now || old === now || !line) return [];
    return [{ kind: "endpoint" as const, line, subject: "", old, now, isDocumented: true }];
  });
}

/** Returns the endpoint or parameter that a removed line documents, if the newer text does not have it anywhere. */
export function readLostEndpoints(line: ReadLine, isInNewer: (value: string) => boolean): ValueFact[] {
  if (line.partner) return [];
  const subject = lastNameOf(line.path);
  const name = parameterOf(line.text);
  const isDocumented = !line.isCode && /^\s*(?:#{1,6}|[-*+|])\s/.test(line.text);
  const [path] = isDocumented ? endpointsOf(line.text) : [];
  if (name && !isInNewer(name)) return [{ kind: "parameter", line, subject, old: name, now: "" }];
  return path && !isInNewer(path) ? [{ kind: "endpoint", line, subject, old: path, now: "" }] : [];
}

/** Returns the path of an endpoint or address, without method and host. */
const pathOf = (endpoint: string) => endpoint.replace(/^[A-Z]+\s+/, "").replace(/^https?:\/\/[^/]*/, "");

/** Returns facts without those that repeat a rename: by its address in code, without its method, or as an endpoint that is gone. */
export function withoutRepeatedRenames(facts: readonly ValueFact[]): ValueFact[] {
  const renames = new Map<string, ValueFact>();
  for (const fact of facts) {
    const key = `${pathOf(fact.old)}\n${pathOf(fact.now)}`;
    if (fact.kind === "endpoint" && fact.old !== "" && fact.now !== "" && !renames.has(key)) renames.set(key, fact);
  }
  const kept = new Set(renames.values());
  const renamed = new Set([...kept].map(({ old }) => pathOf(old)));
  const given = new Set([...kept].map(({ now }) => pathOf(now)));
  return facts.filter(
    (fact) =>
      fact.kind !== "endpoint" ||
      kept.has(fact) ||
      (fact.old === "" && !given.has(pathOf(fact.now))) ||
      (fact.now === "" && !renamed.has(pathOf(fact.old))),
  );
}
