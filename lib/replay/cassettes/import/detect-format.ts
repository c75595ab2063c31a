import { ImportError } from "./import-error";
import type { Capture } from "./imported-stream";

export const captureFormats = ["sse", "jsonl", "har", "aimock"] as const;
export type CaptureFormat = (typeof captureFormats)[number];

const formatByEnding: Record<string, CaptureFormat> = { sse: "sse", jsonl: "jsonl", ndjson: "jsonl", har: "har" };

/** Characters that are looked at: a format shows in its beginning. */
const headLength = 4096;

/** Which kind of capture a file is, by its name and its beginning. Throws ImportError. */
export function detectFormat({ file, bytes }: Capture): CaptureFormat {
  const named = formatByEnding[/\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? ""];
  if (named) return named;
  const head = bytes
    .subarray(0, headLength)
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .trimStart();
  if (/^(?:event|data|id|retry)?:/.test(head)) return "sse";
  if (/^\{\s*"log"\s*:/.test(head)) return "har";
  if (/^\{\s*"(?:_warnings?|fixtures)"\s*:/.test(head)) return "aimock";
  if (/^\{.*"type"\s*:/.test(head.split("\n", 1)[0] ?? "")) return "jsonl";
  throw new ImportError(
    file,
    `is no capture of a known kind; if it is one, name its kind with --format ${captureFormats.join("|")}`,
  );
}
