import { open } from "node:fs/promises";
import { codeOf } from "../write-file";
import { type Capture, ImportError } from "./capture";

/** Largest accepted capture, in bytes; HAR files contain much more than the one stream. */
const maxCaptureByteSize = 256 * 1024 * 1024;

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "not found",
  EISDIR: "is a folder",
  EACCES: "permission denied",
};

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
    throw new ImportError(file, reasons[codeOf(cause) ?? ""] ?? (cause as Error).message, { cause });
  }
}
