/** Where Node 20 has no `fs.globSync`, which the conformance suite imports and does not need against a server. */
const shim = `data:text/javascript,${encodeURIComponent('export * from "node:fs"; export const globSync = () => [];')}`;

export async function resolve(specifier, context, nextResolve) {
  const isSuite = context.parentURL?.includes("/@modelcontextprotocol/conformance/");
  return specifier === "fs" && isSuite ? { url: shim, shortCircuit: true } : nextResolve(specifier, context);
}
