import { isUtf8 } from "node:buffer";
import { readdir, stat } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { codeOf, decodeReads, ImportError } from "#lib/replay/cassettes/index";

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

/**
 * Decodes a body by its `content-encoding`. Some tools decode bodies and leave the header, so what cannot be decoded and is
 * text is returned as it is. Throws if it is neither.
 */
export async function decodeBody(bytes: Uint8Array, encoding: string | undefined): Promise<Buffer> {
  const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (given.length === 0) return given;
  try {
    const [decoded] = await decodeReads([{ deltaMs: 0, bytes: given }], encoding);
    if (decoded) return Buffer.from(decoded.bytes);
  } catch (error) {
    if (!isUtf8(given)) throw error;
  }
  if (!isUtf8(given)) throw new Error(`its body is not complete ${encoding}`);
  return given;
}

/** A file to import, and the path that was given for it: itself, or a folder around it. */
export type FoundFile = { file: string; given: string };

const maxFileCount = 100_000;

/** Returns the files at a path: itself, or those with these endings in a folder and below. Throws ImportError. */
export async function findSourceFiles(given: string, ending: RegExp): Promise<FoundFile[]> {
  const found = await stat(given).catch((cause) => {
    const reason = codeOf(cause) === "ENOENT" ? "not found" : (cause as Error).message;
    throw new ImportError(given, reason, { cause });
  });
  if (!found.isDirectory()) return [{ file: given, given }];
  const entries = await readdir(given, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && ending.test(entry.name));
  if (files.length === 0) throw new ImportError(given, "has no files to import");
  if (files.length > maxFileCount)
    throw new ImportError(given, `has ${files.length} files; the limit is ${maxFileCount}`);
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((file) => ({ file, given }));
}
