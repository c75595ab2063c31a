import { basename, relative } from "node:path";

const ending = /\.(?:ya?ml|json|har)$/i;
/** Names of modules of tests in pytest. */
const testModule = /^(?:test_.+|.+_test)$/;

function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}

/**
 * Returns the name that the pytest plugin gives a test whose cassette pytest-recording keeps at
 * `<folder>/cassettes/<module>/<test>.yaml`; undefined if this is no such path.
 */
function pytestName(path: string): string | undefined {
  const [, folder = "", module = "", name = ""] = /^(?:(.+)\/)?cassettes\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  if (!testModule.test(module) || path.startsWith("../")) return undefined;
  const [, suite, test = name] = /^(\w+)\.(\w+(?:\[.*)?)$/s.exec(name) ?? [];
  const file = `${folder === "" ? "" : `${folder}/`}${module}.py`;
  return [file, ...(suite === undefined ? [] : [suite]), test].join(" > ");
}

/**
 * Returns the name of the tape for a file: that of its test with pytest-recording, else the file's own name without its
 * ending, with the folders below the given one. Paths of tests begin at the folder of the project.
 */
export function tapeNameOf(file: string, given: string, project: string): string {
  const path = slashed(relative(project, file)).replace(ending, "");
  const below = slashed(relative(given, file)).replace(ending, "");
  return pytestName(path) ?? (below === "" ? basename(path) : below);
}
