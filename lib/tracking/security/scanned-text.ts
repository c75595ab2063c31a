import { registrableDomain } from "./addresses";
import { type CodeRange, findCode, maskCode } from "./code-ranges";
import type { Match } from "./finding";
import { lineAround } from "./sentences";

const attackStems =
  /attack|(?<!dependency )inject|adversar|malicious|jailbreak|exploit|red.?team|guardrail|exfiltrat|angreif|angriff|atacant|ataque|attaqu|attacc|inyec|injeç|iniez|атак|инъекц|攻撃|インジェクション|攻击|攻擊|注入|공격|인젝션|주입|هجوم|حقن/i;
const maxReach = 400;

const heading = /^ {0,3}(#{1,6}) ([^\n]{1,300})|^title: ([^\n]{1,300})/gm;
const quoteMark = /["“”„«»「『]/;

/** Returns functions that say where a text documents attacks, so that what looks like one there is an example. */
function documentationOf(text: string, prose: string) {
  type Section = { start: number; level: number; isAboutAttacks: boolean };
  const sections: Section[] = [];
  const open: Section[] = [];
  for (const { index: start, 1: marks = "", 2: name, 3: title = "" } of prose.matchAll(heading)) {
    while (open.length > 0 && open.at(-1)!.level >= marks.length) open.pop();
    // What is beneath a heading about attacks is about them as well.
    const isAboutAttacks = open.at(-1)?.isAboutAttacks || attackStems.test(name ?? title);
    const section = { start, level: marks.length, isAboutAttacks };
    open.push(section);
    sections.push(section);
  }
  const isInSection = (at: number) => {
    let [low, high] = [0, sections.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sections[middle]!.start <= at) low = middle + 1;
      else high = middle;
    }
    return sections[low - 1]?.isAboutAttacks;
  };
  /** Whether code is beneath a heading, or shortly after words, about attacks. */
  const isExample = ({ start, end }: Pick<CodeRange, "start" | "end">): boolean => {
    if (isInSection(start) || attackStems.test(prose.slice(Math.max(0, start - maxReach), start))) return true;
    return attackStems.test(prose.slice(end, end + maxReach).split("\n", 1)[0]!);
  };

  /** Returns where the part of a sentence starts that is quoted on a line about attacks; -1 if there is none. */
  const findQuotation = (start: number, end: number): number => {
    const { before, after } = lineAround(text, start, end, maxReach);
    const isOpen = before.split('"').length % 2 === 0 || before.lastIndexOf("“") > before.lastIndexOf("”");
    const from = Math.max(0, start - 1);
    const mark = isOpen ? 0 : text.slice(from, end).search(quoteMark);
    const isAboutAttacks = attackStems.test(before + text.slice(start, end) + after);
    return mark < 0 || !isAboutAttacks ? -1 : Math.max(start, from + mark);
  };
  return { isExample, findQuotation };
}

export type ScannedText = {
  text: string;
  /** The text with code replaced by spaces; everything else keeps its position. */
  prose: string;
  /** The same with inline code. */
  unfenced: string;
  code: readonly CodeRange[];
  documentation: ReturnType<typeof documentationOf>;
  own: string;
};

/** Finds one kind of harm. Runs in linear time. */
export type Detector = (scanned: ScannedText) => Iterable<Match>;

export function scanText(text: string, domain: string): ScannedText {
  const code = findCode(text);
  const prose = maskCode(text, code);
  const fences = code.filter(({ isFence }) => isFence);
  const documentation = documentationOf(text, prose);
  return { text, prose, unfenced: maskCode(text, fences), code, documentation, own: registrableDomain(domain) };
}
