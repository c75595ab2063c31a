import { parseUrl } from "#lib/platform/parse-url";
import { isNode, listAt, type Node, nodeAt, type OpenApiDocument, textAt } from "./document";

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;

export type Operation = {
  method: string;
  path: string;
  urls: string[];
  pattern: string;
  node: Node;
  /** By where they are and their names, without those of the path. */
  parameters: Map<string, Node>;
};

/** Most servers of an operation, and characters of a path. */
const maxServerCount = 5;
const maxPathLength = 500;

/** Returns a path or URL without the names of its parameters. */
export const withoutNames = (place: string) => place.replace(parameterPattern, "{}");

const parameterPattern = /\{[^{}/]*\}/g;
const toRegExp = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** Returns the URL of a server, in which variables at its start and that of the port have their default. */
function serverUrl(server: Node): string {
  const defaultOf = (name: string) => textAt(nodeAt(nodeAt(server, "variables"), name), "default");
  return textAt(server, "url").replace(/^\{([^{}]*)\}|(?<=:)\{([^{}]*)\}/g, (all, first, second) => {
    return defaultOf(first ?? second) || all;
  });
}

/** Returns the URLs of an operation without its path, as a list in words. */
export function serversOf({ path, urls }: Operation): string {
  return urls.map((url) => url.slice(0, url.length - withoutQuery(path).length)).join(" and ");
}

const withoutQuery = (path: string) => path.replace(/[?#].*$/, "");

/** Returns where an operation is called, with parameters in braces. Servers that cannot be read are left out. */
function urlsOf(servers: readonly unknown[], path: string, documentUrl: string): string[] {
  const bases = servers.length > 0 ? servers.filter(isNode).map(serverUrl) : ["/"];
  const urls = bases.flatMap((base) => {
    // A name instead of the braces, which a URL escapes.
    const url = parseUrl(base.replace(/\{([^{}]*)\}/g, "tapedeck-$1-parameter"), documentUrl);
    if (!url || !/^https?:$/.test(url.protocol) || base.startsWith("{")) return [];
    const origin = `${url.origin}${url.pathname.replace(/\/+$/, "")}`.replace(/tapedeck-(.*?)-parameter/g, "{$1}");
    return `${origin}${withoutQuery(path)}`;
  });
  return [...new Set(urls)].slice(0, maxServerCount);
}

/** Returns the regular expression of the calls of an operation, written `POST host/path`. */
export function patternOf(method: string, urls: readonly string[]): string {
  const places = urls.map((url) =>
    url
      .replace(/^[a-z]+:\/\//, "")
      .split(parameterPattern)
      .map(toRegExp)
      .join("[^/]+"),
  );
  return `^${method} (${places.join("|")})$`;
}

/** Returns the operations of a document by method and path without the names of parameters. */
export function operationsOf(document: OpenApiDocument, documentUrl: string): Map<string, Operation> {
  const found = new Map<string, Operation>();
  for (const [path, given] of Object.entries(nodeAt(document.root, "paths"))) {
    const { node: item } = document.resolve(given);
    if (path.length > maxPathLength || /\p{Cc}/u.test(path)) continue;
    for (const each of methods) {
      const node = item[each];
      if (!isNode(node)) continue;
      const method = each.toUpperCase();
      const parameters = new Map<string, Node>();
      for (const parameter of [...listAt(item, "parameters"), ...listAt(node, "parameters")]) {
        const { node: resolved } = document.resolve(parameter);
        const place = textAt(resolved, "in");
        if (place !== "path") parameters.set(`${place} ${textAt(resolved, "name")}`, resolved);
      }
      const servers = [node, item, document.root]
        .map((owner) => listAt(owner, "servers"))
        .find(({ length }) => length > 0);
      const urls = urlsOf(servers ?? [], path, documentUrl);
      const pattern = patternOf(method, urls);
      found.set(`${method} ${withoutNames(path)}`, { method, path, urls, pattern, node, parameters });
    }
  }
  return found;
}
