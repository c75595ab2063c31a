import { open } from "node:fs/promises";
import { codeOf } from "../write-file";
import { type Capture, ImportError } from "./capture";

/** Largest accepted capture, in bytes; HAR files contain much more than the one stream. */
const maxCaptureByteSize = 256 * 1024 * 1024;

function explain(error: unknown): string {
  switch (codeOf(error)) {
    case "ENOENT":
      return "not found";
    case "EISDIR":
      return "is a folder";
    case "EACCES":
      return "permission denied";
    default:
      return (error as Error).message;
  }
}

/** Reads a capture file. Throws ImportError. */
export async function readCaptureFile(file: string): Promise<Capture> {
  try {
    const handle = await open(file);
    try {
      const { size } = await handle.stat();
      if (size > maxCaptureByteSize) throw new Error(`has ${size} bytes; the limit is ${maxCaptureByteSize}`);
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
