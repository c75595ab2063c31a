/** Stems of words about attacks, in the eleven languages. */
const attackStems =
  /attack|inject|adversar|malicious|jailbreak|angreif|angriff|atacant|ataque|attaqu|attacc|inyec|injeç|iniez|атак|инъекц|攻撃|インジェクション|攻击|攻擊|注入|공격|인젝션|주입|هجوم|حقن/i;
/** How much of a text before and after a place is searched for such words, in UTF-16 code units. */
const maxReach = 400;

const quoteMark = /["“”„«»「『]/;
/** Introduces a quotation as an example. */
const exampleLead = /\b(?:like|such as|instead of|e\.g\.)[:,]? ["“]$/i;
const maxLeadLength = 16;

/** Returns where the quotation opens that is not closed at the end of a line's first part, or -1. */
function openedAt(before: string): number {
  const isOdd = before.split('"').length % 2 === 0;
  const opened = isOdd ? before.lastIndexOf('"') : before.lastIndexOf("“");
  return opened >= 0 && !before.includes("”", opened) ? opened : -1;
}

const heading = /^#{1,6} /;
const listMark = /^\s{0,8}(?:[-*+|]|\d{1,3}[.)])\s/;

/** The lines that introduce what follows: the header of a table, and the heading above. */
function introduction(lines: readonly string[], isRow: boolean): string {
  let header = "";
  let at = lines.length - 1;
  for (; isRow && lines[at]?.startsWith("|"); at--) header = lines[at]!;
  return `${header}\n${lines.slice(0, at + 1).findLast((line) => heading.test(line)) ?? ""}`;
}

/** The line before a block quotation, which may end with a colon. */
function leadOfBlock(lines: readonly string[]): string {
  const lead = lines.findLast((line) => !/^(?:>|\s*$)/.test(line)) ?? "";
  return /[:：]\s{0,3}$/.test(lead) ? lead : "";
}

/**
 * Whether a place is in a quotation that a list or a table under words about attacks contains, or in a block quotation that a
 * line about attacks introduces. `reached` is the text before the place, `after` the rest of its line.
 */
function isListedAttack(reached: string, after: string): boolean {
  const lines = reached.split("\n");
  const before = lines.pop() ?? "";
  if (/^> ?["“]?$/.test(before)) return attackStems.test(leadOfBlock(lines));
  if (!listMark.test(before) || openedAt(before) < 0 || !/["”]/.test(after)) return false;
  return attackStems.test(introduction(lines, before.startsWith("|")));
}

/**
 * Returns where the part of a sentence starts that is quoted as an example, or on a line about attacks, or in a list of them, as in
 * documentation of security; -1 if there is none.
 */
export function findExample(text: string, start: number, end: number): number {
  const reached = text.slice(Math.max(0, start - maxReach), start);
  const before = reached.slice(reached.lastIndexOf("\n") + 1);
  const opened = openedAt(before);
  const [after = ""] = text.slice(end, end + maxReach).split("\n", 1);
  if (isListedAttack(reached, text.slice(start, end) + after)) return start;
  if (opened >= 0 && exampleLead.test(before.slice(0, opened + 1))) return start;
  const mark = text.slice(Math.max(0, start - 1), end).search(quoteMark);
  if (opened < 0 && mark < 0) return -1;
  const quoted = opened >= 0 ? start : Math.max(start, start - 1 + mark);
  if (exampleLead.test(text.slice(Math.max(0, quoted - maxLeadLength), quoted + 1))) return quoted;
  if (!attackStems.test(before + text.slice(start, end) + after)) return -1;
  return quoted;
}

/** Whether the text shortly before a place is about attacks. */
export const followsAttackWords = (text: string, at: number) =>
  attackStems.test(text.slice(Math.max(0, at - maxReach), at));
