/** A path pattern of a robots.txt: `*` matches anything, a final `$` the end of the path. */
export type RobotsRule = { pattern: string; isAllowed: boolean };

/** Normalizes percent-encoding as RFC 9309 (2.2.2) compares paths: unreserved characters plain, hex digits in capitals. */
function normalize(text: string): string {
  return encodeURI(text)
    .replaceAll("%25", "%")
    .replace(/%[0-9a-f]{2}/gi, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return /[a-z0-9._~-]/i.test(character) ? character : code.toUpperCase();
    });
}

/** Searches for each piece between asterisks once, from left to right, so the time is bounded by pattern and path. */
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

/** Yields the key and value of each record, without comments. */
function* recordsOf(text: string): Generator<[key: string, value: string]> {
  for (const line of text.split(/\r\n|\r|\n/)) {
    const record = line.split("#", 1)[0] ?? "";
    const colonAt = record.indexOf(":");
    if (colonAt > 0) yield [record.slice(0, colonAt).trim().toLowerCase(), record.slice(colonAt + 1).trim()];
  }
}

/**
 * Parses a robots.txt for one robot by RFC 9309 and returns its rules: those of all groups that name it, otherwise those of
 * all `*` groups. Time and memory are bounded by the size of the file.
 */
export function parseRobots(text: string, token: string): RobotsRule[] {
  const own: RobotsRule[] = [];
  const shared: RobotsRule[] = [];
  let isNamed = false;
  let group = { isOwn: false, isShared: false, hasRules: true };
  for (const [key, value] of recordsOf(text)) {
    if (key === "user-agent") {
      if (group.hasRules) group = { isOwn: false, isShared: false, hasRules: false };
      if (value === "*") group.isShared = true;
      if (value.split("/", 1)[0]?.trim().toLowerCase() === token.toLowerCase()) group.isOwn = isNamed = true;
    } else if (key === "allow" || key === "disallow") {
      group.hasRules = true;
      const rule = { pattern: normalize(value), isAllowed: key === "allow" };
      if (group.isOwn) own.push(rule);
      if (group.isShared) shared.push(rule);
    }
  }
  return isNamed ? own : shared;
}

/** Returns whether rules allow a URL of their origin. The longest match decides, the allowing one on a tie; without one it is allowed. */
export function isAllowedBy(rules: readonly RobotsRule[], { pathname, search }: URL): boolean {
  const path = normalize(`${pathname}${search}`);
  let best: RobotsRule = { pattern: "", isAllowed: true };
  for (const rule of rules) {
    const isStronger = rule.pattern.length > best.pattern.length;
    const isTie = rule.pattern.length === best.pattern.length && rule.isAllowed;
    if ((isStronger || isTie) && matches(rule.pattern, path)) best = rule;
  }
  return best.isAllowed;
}
