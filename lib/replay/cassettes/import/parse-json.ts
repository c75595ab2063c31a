import { ImportError } from "./import-error";
import type { Capture } from "./imported-stream";

/** The JSON of a capture. Throws ImportError. */
export function parseJson({ bytes, file }: Capture): unknown {
  try {
    return JSON.parse(bytes.toString("utf8").replace(/^\uFEFF/, ""));
  } catch (cause) {
    throw new ImportError(file, `is not valid JSON: ${(cause as Error).message}`, { cause });
  }
}
