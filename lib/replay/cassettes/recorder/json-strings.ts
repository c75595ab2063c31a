/** A string in a JSON text: the place of its content, without the quotes, and the member that it is the value of. */
export type JsonString = { start: number; end: number; key: string | undefined; isKey: boolean };

/** Longest name of a member that is told. */
const maxKeyLength = 200;

/**
 * The strings of a JSON text, by order. It does not mind JSON that was cut off: a string without its last quote
 * reaches to the end.
 */
export function* jsonStrings(text: string): Generator<JsonString> {
  let key: string | undefined;
  let position = text.indexOf('"');
  while (position >= 0) {
    const start = position + 1;
    const end = endOfString(text, start);
    const isKey = /^\s{0,20}:/.test(text.slice(end + 1, end + 22));
    yield { start, end, key: isKey ? undefined : key, isKey };
    // In a list, each string belongs to the list's member.
    if (isKey) key = text.slice(start, Math.min(end, start + maxKeyLength));
    position = text.indexOf('"', end + 1);
  }
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start);
  while (end > 0 && isEscaped(text, end, start)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

/** Whether an odd number of backslashes stands before a place. */
function isEscaped(text: string, position: number, start: number): boolean {
  let first = position;
  while (first > start && text[first - 1] === "\\") first -= 1;
  return (position - first) % 2 === 1;
}
