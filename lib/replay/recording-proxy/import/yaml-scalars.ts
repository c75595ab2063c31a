/** Values that a scalar of YAML can have here. */
export type Scalar = string | number | boolean | null;

const whole = /^[-+]?(?:0|[1-9]\d*)$/;
/** With a point: what has none, such as `1e5`, is text to the writers of YAML 1.1. */
const fraction = /^[-+]?(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?$/;

/** Returns the value of a scalar without quotes. */
export function resolvePlain(text: string): Scalar {
  if (/^(?:|~|null|Null|NULL)$/.test(text)) return null;
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  return whole.test(text) || fraction.test(text) ? Number(text) : text;
}

/** Returns a text without the spaces and line breaks at its end. */
export function trimSpaces(text: string): string {
  return text.replace(/(?<![ \t\n])[ \t\n]+$/, "");
}

/** Joins the lines of a scalar that goes over several: one line break is a space, each further one is kept. */
export function foldLines(text: string): string {
  return text.replace(/(?:(?<![ \t])[ \t]+)?\n[ \t\n]*/g, (space) => {
    const breaks = space.split("\n").length - 1;
    return breaks === 1 ? " " : "\n".repeat(breaks - 1);
  });
}

const escapes: Record<string, string> = {
  "0": "\0",
  a: "\x07",
  b: "\b",
  t: "\t",
  "\t": "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  e: "\x1B",
  " ": " ",
  '"': '"',
  "/": "/",
  "\\": "\\",
  N: "\x85",
  _: "\xA0",
  L: "\u2028",
  P: "\u2029",
};

/** Characters of a code, by the letter before it. */
const codeLengths: Record<string, number> = { x: 2, u: 4, U: 8 };

/** A space that is kept before a line break, an escape with what may be its code, or a line break with its spaces. */
const quotedPart =
  /\\([ \t])([ \t]*\n[ \t\n]*)|\\(\n[ \t\n]*|[\s\S])([\da-fA-F]{0,8})|(?:(?<![ \t])[ \t]+)?\n[ \t\n]*/g;

/** Returns the value of a scalar in double quotes, without them; null if an escape is not valid. */
export function unescapeQuoted(text: string): string | null {
  let isValid = true;
  const value = text.replace(quotedPart, (all, space, breaks, letter, digits) => {
    if (space !== undefined) return space + foldLines(breaks);
    if (letter === undefined) return foldLines(all);
    if (letter[0] === "\n") return "\n".repeat(letter.split("\n").length - 2) + digits;
    const length = codeLengths[letter];
    if (length === undefined) {
      isValid &&= Object.hasOwn(escapes, letter);
      return escapes[letter] + digits;
    }
    const code = Number.parseInt(digits.slice(0, length), 16);
    isValid &&= digits.length >= length && code <= 0x10ffff;
    return isValid ? String.fromCodePoint(code) + digits.slice(length) : "";
  });
  return isValid ? value : null;
}

/** Folds the lines of a `>` block: those that begin with a space keep their line breaks. */
function foldBlock(lines: readonly string[]): string {
  let text = "";
  let emptyCount = 0;
  let wasIndented = true;
  let isFirst = true;
  for (const line of lines) {
    if (line === "") {
      emptyCount += 1;
      continue;
    }
    const isIndented = /^[ \t]/.test(line);
    const isFolded = !isIndented && !wasIndented;
    const breaks = isFirst ? emptyCount : emptyCount + (isFolded ? 0 : 1);
    text += (isFolded && breaks === 0 ? " " : "\n".repeat(breaks)) + line;
    [emptyCount, wasIndented, isFirst] = [0, isIndented, false];
  }
  return text;
}

/** Returns the value of a block scalar, given its lines without their indentation. */
export function joinBlock(style: string, chomping: string, lines: readonly string[]): string {
  const end = lines.findLastIndex((line) => line !== "") + 1;
  const content = lines.slice(0, end);
  const text = style === "|" ? content.join("\n") : foldBlock(content);
  if (chomping === "-") return text;
  if (chomping === "+") return text + "\n".repeat(lines.length - end + (end > 0 ? 1 : 0));
  return end > 0 ? `${text}\n` : "";
}
