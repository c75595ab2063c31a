import { expect, test } from "vitest";
import { endpoints } from "#app/endpoints";
import { answer, bind } from "#lib/server/http/bindings";

/** Returns the headers of the preflight of a path with its declared endpoints. */
async function preflight(path: string) {
  const bindings = endpoints.map((endpoint) => bind(endpoint, () => undefined));
  const group = { paths: /^\//, load: async () => ({ bindings }) };
  const { status, headers } = await answer(group, {
    method: "OPTIONS",
    target: path,
    header: () => null,
    headers: () => new Headers(),
    encrypted: false,
    signal: () => new AbortController().signal,
    readBody: async () => new Uint8Array(),
  });
  return [status, headers.Allow, headers["Access-Control-Allow-Origin"], headers["Access-Control-Allow-Methods"]];
}

test.each([
  ["/api/v1/vendors", "GET, POST, HEAD, OPTIONS", "*", "GET, HEAD, OPTIONS"],
  ["/api/v1/vendors/quarrydb", "GET, PATCH, DELETE, HEAD, OPTIONS", "*", "GET, HEAD, OPTIONS"],
  ["/api/v1/digests", "GET, POST, HEAD, OPTIONS", "*", "POST, OPTIONS"],
  ["/api/v1/keys/rotate", "POST, OPTIONS", undefined, undefined],
])("a preflight of %s names only the methods that another origin may read", async (path, ...expected) => {
  expect(await preflight(path)).toEqual([204, ...expected]);
});
