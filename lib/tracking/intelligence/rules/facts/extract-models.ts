import { maxReadLineLength } from "../text/plain-text";
import type { ReadLine } from "../text/read-lines";
import { lastNameOf } from "../text/subject";
import type { ValueFact } from "./value-fact";

/** A name as models have it: `acme-large-2`, `text-embed@001`. */
const modelName =
  /(?<=[`"'[])(?=[^`"'\]]{0,60}\d)(?=[^`"'\]]{0,60}[-@])[a-z][a-z0-9]*(?:[-@._/][a-z0-9]+){1,8}(?=[`"'\]])/gi;
const modelWord = /\bmodels?\b|\bmodel_?id\b/i;
/** Names with a hyphen and a number that are none of models. */
const noModel =
  /^(?:node|python|java|utf|iso|sha|rfc|us|eu|ap|http|v\d)|\.(?:js|ts|py|md|json|ya?ml|txt)$|^\d|-\d{4}-\d\d-\d\d-/i;

/** Words about names that are on their way out, and are therefore not new. */
const ended =
  /\b(?:deprecat\w+|legacy|retir\w+|sunset\w*|discontinued|decommission\w*|end[- ]of[- ]life|eol|shut(?:s|ting)? ?down|no longer)\b/i;

const namesIn = (text: string) => (text.match(modelName) ?? []).filter((name) => !noModel.test(name));
const namesOf = ({ text }: ReadLine) => namesIn(text.slice(0, maxReadLineLength));

/** Returns the names that a line presents as current: those of its sentences, or of its row, that announce no end. */
function currentNamesOf({ text, path }: ReadLine): string[] {
  if (ended.test(path)) return [];
  return text
    .slice(0, maxReadLineLength)
    .split(/(?<=[.!?;])\s/)
    .filter((sentence) => !ended.test(sentence))
    .flatMap(namesIn);
}

/** Whether a new line is one of a list, a table or a section on models; other text mentions them. */
const isList = ({ text, path }: ReadLine, title: string) =>
  /^\s*(?:[-*+|]|\d{1,3}[.)])/.test(text) || modelWord.test(`${title} ${path}`);

/** Returns the names of models that the older text does not have anywhere, with the name that each replaces, if any. */
export function readModels(
  added: readonly ReadLine[],
  title: string,
  isIn: { before: (value: string) => boolean; after: (value: string) => boolean },
): ValueFact[] {
  return added.flatMap((line) => {
    if (!line.partner && (line.isCode || !isList(line, title))) return [];
    if (!modelWord.test(`${title} ${line.path} ${line.text.slice(0, maxReadLineLength)}`)) return [];
    const isKnown = (name: string, isInText: (value: string) => boolean) =>
      ["``", '""', "''", "[]"].some((marks) => isInText(`${marks[0]}${name}${marks[1]}`));
    const now = currentNamesOf(line).find((name) => !isKnown(name, isIn.before));
    if (!now) return [];
    const old = line.partner && namesOf(line.partner).find((name) => !isKnown(name, isIn.after));
    return [{ kind: "model" as const, line, subject: lastNameOf(line.path), old: old ?? "", now }];
  });
}
