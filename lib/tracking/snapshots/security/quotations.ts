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

/**
 * Returns where the part of a sentence starts that is quoted as an example, or on a line about attacks, as in documentation
 * of security; -1 if there is none.
 */
export function findExample(text: string, start: number, end: number): number {
  const reached = text.slice(Math.max(0, start - maxReach), start);
  const before = reached.slice(reached.lastIndexOf("\n") + 1);
  const opened = openedAt(before);
  if (opened >= 0 && exampleLead.test(before.slice(0, opened + 1))) return start;
  const mark = text.slice(Math.max(0, start - 1), end).search(quoteMark);
  if (opened < 0 && mark < 0) return -1;
  const quoted = opened >= 0 ? start : Math.max(start, start - 1 + mark);
  if (exampleLead.test(text.slice(Math.max(0, quoted - maxLeadLength), quoted + 1))) return quoted;
  const [after = ""] = text.slice(end, end + maxReach).split("\n", 1);
  if (!attackStems.test(before + text.slice(start, end) + after)) return -1;
  return quoted;
}

/** Whether the text shortly before a place is about attacks. */
export const followsAttackWords = (text: string, at: number) =>
  attackStems.test(text.slice(Math.max(0, at - maxReach), at));
