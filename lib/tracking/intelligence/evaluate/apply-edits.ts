import { type Edit, LabelledSetError } from "./labelled-set";

function placeOf(text: string, part: string): number {
  const at = text.indexOf(part);
  if (at < 0) throw new LabelledSetError(`"${part}" is not in the text`);
  if (text.indexOf(part, at + 1) >= 0) throw new LabelledSetError(`"${part}" is in the text more than once`);
  return at;
}

function removeRange(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(end);
}

function removeLine(text: string, part: string): string {
  const at = placeOf(text, part);
  const end = text.indexOf("\n", at);
  return removeRange(text, text.lastIndexOf("\n", at) + 1, end < 0 ? text.length : end + 1);
}

/** From a heading's line to the next heading of its level or above. */
function sectionRange(text: string, heading: string): [number, number] {
  const start = placeOf(`\n${text}`, `\n${heading}\n`);
  const level = /^#+/.exec(heading)?.[0].length;
  if (!level) throw new LabelledSetError(`"${heading}" is no heading`);
  const next = new RegExp(`^#{1,${level}} `, "m").exec(text.slice(start + heading.length));
  return [start, next ? start + heading.length + next.index : text.length];
}

function applyEdit(text: string, edit: Edit): string {
  if ("replace" in edit) {
    const at = placeOf(text, edit.replace);
    return text.slice(0, at) + edit.with + text.slice(at + edit.replace.length);
  }
  if ("replace_all" in edit) {
    if (!text.includes(edit.replace_all)) throw new LabelledSetError(`"${edit.replace_all}" is not in the text`);
    return text.replaceAll(edit.replace_all, () => edit.with);
  }
  if ("remove_line" in edit) return removeLine(text, edit.remove_line);
  if ("remove_section" in edit) return removeRange(text, ...sectionRange(text, edit.remove_section));
  const range = sectionRange(text, edit.move_section);
  const section = text.slice(...range).replace(/\n*$/, "\n\n");
  const rest = removeRange(text, ...range);
  const at = placeOf(`\n${rest}`, `\n${edit.before}\n`);
  return `${rest.slice(0, at)}${section}${rest.slice(at)}`;
}

/** The text after all edits in turn. Throws LabelledSetError where one does not fit. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  return edits.reduce(applyEdit, text);
}
