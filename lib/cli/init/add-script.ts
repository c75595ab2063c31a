import { isDeepStrictEqual } from "node:util";
import { CommandFailure } from "../failure";

type Manifest = { scripts?: Record<string, string> };

/**
 * Returns the text of a `package.json` with a script more, and all else as it was. Undefined if it has a script of this name.
 * Throws CommandFailure if its form leaves no safe place.
 */
export function addScript(text: string, name: string, command: string): string | undefined {
  const before = JSON.parse(text) as Manifest;
  if (before.scripts?.[name] !== undefined) return undefined;
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? "  ";
  const [, padding = ""] = /\{(\s*)/.exec(text) ?? [];
  const isOneLine = !text.trim().includes("\n");
  const gap = isOneLine && !/":\s/.test(text) ? "" : " ";
  const entry = `${JSON.stringify(name)}:${gap}${JSON.stringify(command)}`;
  const inner = isOneLine ? padding : `${newline}${indent}${indent}`;
  const scripts = `${inner}${entry}${isOneLine ? padding : `${newline}${indent}`}`;
  const isEmpty = Object.keys(before.scripts ?? {}).length === 0;
  const added = before.scripts
    ? text.replace(/("scripts"\s*:\s*\{)(\s*)/, (_all, start, space) =>
        isEmpty ? `${start}${scripts}` : `${start}${space}${entry},${space.includes("\n") ? space : gap}`,
      )
    : text.replace(/\{\s*/, `{${padding}"scripts":${gap}{${scripts}},${isOneLine ? gap : padding}`);
  const expected = { ...before, scripts: { ...before.scripts, [name]: command } };
  if (isSame(added, expected)) return added;
  throw new CommandFailure(`package.json was left as it is. Add to its scripts: ${entry}`);
}

function isSame(text: string, expected: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), expected);
  } catch {
    return false;
  }
}
