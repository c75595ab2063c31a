import { AppError } from "./errors";

/** Most levels of arrays and objects within each other; deeper ones would overflow the stack of what walks through them. */
export const maxJsonDepth = 200;
/** Most values in one text: a million short members take seconds and a hundred times their size in memory. */
export const maxJsonValueCount = 500_000;

const [quote, comma, openArray, closeArray, openObject, closeObject, backslash] = Buffer.from('",[]{}\\');

/** Returns the index of the quote that ends the string that starts at `start`; the text's length if none does. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === backslash) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}

/** Throws AppError bad_request if JSON text is nested too deeply or has too many values. Says nothing about its syntax. */
function checkJsonBounds(text: string): void {
  let depth = 0;
  let valueCount = 1;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) index = endOfString(text, index);
    else if (code === comma) valueCount += 1;
    else if (code === openArray || code === openObject) {
      depth += 1;
      valueCount += 1;
    } else if (code === closeArray || code === closeObject) depth -= 1;
    if (depth > maxJsonDepth) {
      throw new AppError("bad_request", `The JSON is nested more than ${maxJsonDepth} levels deep.`);
    }
    if (valueCount > maxJsonValueCount) {
      throw new AppError("bad_request", `The JSON has more than ${maxJsonValueCount} values.`);
    }
  }
}

/** Parses JSON text of a client. Throws AppError bad_request beyond the bounds, and SyntaxError if it is not JSON. */
export function parseBoundedJson(text: string): unknown {
  checkJsonBounds(text);
  return JSON.parse(text);
}
