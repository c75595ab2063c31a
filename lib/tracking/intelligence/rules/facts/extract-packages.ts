import type { ReadLine } from "../text/read-lines";
import { lastNameOf } from "../text/subject";
import type { ValueFact } from "./value-fact";

const loaded =
  /^\s*(?:from ([\w.]{1,80}) import\b|import ([\w.]{1,80})\s*$|import\b.{0,200}\bfrom ["'](?!\.|\/|@\/)([^"']{1,80})["']|.{0,80}\brequire\(["'](?!\.|\/)([^"']{1,80})["'])/;

const packageOf = ({ text, isCode }: ReadLine): string | undefined => {
  const found = isCode ? loaded.exec(text.slice(0, 500)) : null;
  return found?.slice(1).find(Boolean);
};

/** Most packages of a change that are searched in the whole text. */
const maxPackageCount = 10;

/** Returns the packages that code of one version loads, and that the other version neither loads nor has in quotes or code. */
function onlyIn(lines: readonly ReadLine[], other: string) {
  const found = new Map<string, ReadLine>();
  for (const line of lines) {
    const name = packageOf(line);
    if (name && !found.has(name)) found.set(name, line);
    if (found.size === maxPackageCount) break;
  }
  return [...found].filter(
    ([name]) => !new RegExp(`(?:\\bfrom |\\bimport |["'\`])${name.replace(/[^\w]/g, "\\$&")}(?![\\w])`).test(other),
  );
}

/** Returns the package that replaces another in the code of a text. */
export function readPackages(
  removed: readonly ReadLine[],
  added: readonly ReadLine[],
  texts: { before: string; after: string },
): ValueFact[] {
  const gone = onlyIn(removed, texts.after);
  if (gone.length !== 1) return [];
  const come = onlyIn(added, texts.before);
  if (come.length !== 1) return [];
  const [[old], [now, line]] = [gone[0]!, come[0]!];
  return [{ kind: "package", line, subject: lastNameOf(line.path), old, now }];
}
