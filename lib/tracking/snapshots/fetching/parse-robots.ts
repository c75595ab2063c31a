/** A path pattern of a robots.txt: `*` stands for anything, a last `$` for the end. */
type Rule = { pattern: string; isAllowed: boolean };

/** Whether a URL of the file's origin may be fetched. */
export type RobotsMatcher = (url: URL) => boolean;

/** Percent-encodes as RFC 9309 (2.2.2) compares: everything but what needs no encoding, with capital digits. */
function normalize(text: string): string {
  return encodeURI(text)
    .replaceAll("%25", "%")
    .replace(/%[0-9a-f]{2}/gi, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return /[a-z0-9._~-]/i.test(character) ? character : code.toUpperCase();
    });
}

/** Each piece between stars is looked for once, from left to right: no pattern takes longer than its path allows. */
function matches(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith("$");
  const [start = "", ...pieces] = (isAnchored ? pattern.slice(0, -1) : pattern).split("*");
  if (!path.startsWith(start)) return false;
  const end = isAnchored ? pieces.pop() : undefined;
  let at = start.length;
  for (const piece of pieces) {
    const found = path.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  if (!isAnchored) return true;
  return end === undefined ? at === path.length : path.length - end.length >= at && path.endsWith(end);
}

/** Keys and values of a file's records, without comments. */
function* recordsOf(text: string): Generator<[key: string, value: string]> {
  for (const line of text.split(/\r\n|\r|\n/)) {
    const record = line.split("#", 1)[0] ?? "";
    const colonAt = record.indexOf(":");
    if (colonAt > 0) yield [record.slice(0, colonAt).trim().toLowerCase(), record.slice(colonAt + 1).trim()];
  }
}

/** The rules for a robot: those of the groups that name it, else those for everybody. Both may stand in pieces. */
function rulesFor(token: string, text: string): Rule[] {
  const own: Rule[] = [];
  const everybodys: Rule[] = [];
  let isNamed = false;
  let group = { isOwn: false, isEverybodys: false, hasRules: true };
  for (const [key, value] of recordsOf(text)) {
    if (key === "user-agent") {
      if (group.hasRules) group = { isOwn: false, isEverybodys: false, hasRules: false };
      if (value === "*") group.isEverybodys = true;
      if (value.split("/", 1)[0]?.trim().toLowerCase() === token.toLowerCase()) group.isOwn = isNamed = true;
    } else if (key === "allow" || key === "disallow") {
      group.hasRules = true;
      const rule = { pattern: normalize(value), isAllowed: key === "allow" };
      if (group.isOwn) own.push(rule);
      if (group.isEverybodys) everybodys.push(rule);
    }
  }
  return isNamed ? own : everybodys;
}

/**
 * Reads a robots.txt for one robot, by RFC 9309: the longest rule that matches decides, of two as long the one that
 * allows, and without any the URL is allowed. Time and memory grow with the file alone, whoever wrote it.
 */
export function parseRobots(text: string, token: string): RobotsMatcher {
  const rules = rulesFor(token, text);
  return ({ pathname, search }) => {
    const path = normalize(`${pathname}${search}`);
    let best: Rule = { pattern: "", isAllowed: true };
    for (const rule of rules) {
      const isStronger = rule.pattern.length > best.pattern.length;
      const isTie = rule.pattern.length === best.pattern.length && rule.isAllowed;
      if ((isStronger || isTie) && matches(rule.pattern, path)) best = rule;
    }
    return best.isAllowed;
  };
}
