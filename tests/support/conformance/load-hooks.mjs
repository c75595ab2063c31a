/** Node 20 has no `fs.globSync`. The conformance suite imports it, but does not use it when testing a server. */
const shim = `data:text/javascript,${encodeURIComponent('export * from "node:fs"; export const globSync = () => [];')}`;

export async function resolve(specifier, context, nextResolve) {
  const isSuite = context.parentURL?.includes("/@modelcontextprotocol/conformance/");
  return specifier === "fs" && isSuite ? { url: shim, shortCircuit: true } : nextResolve(specifier, context);
}
