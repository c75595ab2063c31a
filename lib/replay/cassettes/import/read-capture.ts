import { open } from "node:fs/promises";
import { codeOf } from "../write-error";
import { type CaptureFormat, detectFormat } from "./detect-format";
import { ImportError } from "./import-error";
import type { Capture, ImportedStream, ReadOptions } from "./imported-stream";
import { readAimock } from "./read-aimock";
import { readHar } from "./read-har";
import { readJsonLines, readSse } from "./read-sse";

/** Largest capture that is read, in bytes: HAR files hold much beside the one stream. */
export const maxCaptureByteSize = 256 * 1024 * 1024;

const readers = { sse: readSse, jsonl: readJsonLines, har: readHar, aimock: readAimock } satisfies Record<
  CaptureFormat,
  (capture: Capture, options: ReadOptions) => ImportedStream
>;

function explain(error: unknown): string {
  switch (codeOf(error)) {
    case "ENOENT":
      return "there is no such file";
    case "EISDIR":
      return "is a folder";
    case "EACCES":
      return "may not be read";
    default:
      return (error as Error).message;
  }
}

/** Reads a whole file. Throws ImportError. */
export async function readCaptureFile(file: string): Promise<Capture> {
  try {
    const handle = await open(file);
    try {
      const { size } = await handle.stat();
      if (size > maxCaptureByteSize) throw new Error(`is ${size} bytes; at most ${maxCaptureByteSize} are read`);
      const bytes = await handle.readFile();
      if (bytes.length === 0) throw new Error("is empty");
      return { file, bytes };
    } finally {
      await handle.close();
    }
  } catch (cause) {
    throw new ImportError(file, explain(cause), { cause });
  }
}

/** What a capture holds. Throws ImportError. */
export function readCapture(capture: Capture, options: ReadOptions & { format?: CaptureFormat }): ImportedStream {
  return readers[options.format ?? detectFormat(capture)](capture, options);
}
