import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** Reads a file of texts, in which `\u{200B}` is the character with that code point. */
export function readTexts<T>(name: string): T {
  const decode = (_: string, code: string) => String.fromCodePoint(Number.parseInt(code, 16));
  return parse(readFileSync(new URL(name, import.meta.url), "utf8"), (_key, value) =>
    typeof value === "string" ? value.replace(/\\u\{([0-9A-F]+)\}/g, decode) : value,
  );
}

/** For each detector, texts that it matches and similar texts that it does not match. */
export type Samples = { points: number; fires: readonly string[]; isSilent: readonly string[] };

export const samples = readTexts<Record<string, Samples>>("samples.yaml");
