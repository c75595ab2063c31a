import { registrableDomain } from "./addresses";
import { type CodeRange, findCode, maskCode } from "./code-ranges";
import type { Match } from "./finding";
import { lineAround } from "./sentences";

const attackStems =
  /attack|(?<!dependency )inject|adversar|malicious|jailbreak|exploit|red.?team|guardrail|exfiltrat|angreif|angriff|atacant|ataque|attaqu|attacc|inyec|injeç|iniez|атак|инъекц|攻撃|インジェクション|攻击|攻擊|注入|공격|인젝션|주입|هجوم|حقن/i;
const maxReach = 400;

const heading = /^ {0,3}(#{1,6}) ([^\n]{1,300})|^title: ([^\n]{1,300})/gm;
const quoteMark = /["“”„«»「『]/;

/** Says where a text documents attacks, so that what looks like one there is an example. */
export class Documentation {
  readonly #text: string;
  readonly #prose: string;
  /** Where the sections begin, and whether the heading of each, or one above it, is about attacks. */
  readonly #starts: number[] = [0];
  readonly #isAboutAttacks: boolean[] = [false];

  constructor(text: string, prose: string) {
    this.#text = text;
    this.#prose = prose;
    const open: { level: number; isAbout: boolean }[] = [];
    for (const { index, 1: marks = "", 2: name, 3: title = "" } of prose.matchAll(heading)) {
      while (open.length > 0 && open.at(-1)!.level >= marks.length) open.pop();
      const isAbout = (open.at(-1)?.isAbout ?? false) || attackStems.test(name ?? title);
      open.push({ level: marks.length, isAbout });
      this.#starts.push(index);
      this.#isAboutAttacks.push(isAbout);
    }
  }

  #isInSection(at: number): boolean {
    let [low, high] = [0, this.#starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! <= at) low = middle;
      else high = middle;
    }
    return this.#isAboutAttacks[low]!;
  }

  /** Whether code is beneath a heading, or shortly after words, about attacks. */
  isExample({ start, end }: Pick<CodeRange, "start" | "end">): boolean {
    if (this.#isInSection(start) || attackStems.test(this.#prose.slice(Math.max(0, start - maxReach), start)))
      return true;
    return attackStems.test(this.#prose.slice(end, end + maxReach).split("\n", 1)[0]!);
  }

  /** Returns where the part of a sentence starts that is quoted on a line about attacks; -1 if there is none. */
  findQuotation(start: number, end: number): number {
    const { before, after } = lineAround(this.#text, start, end, maxReach);
    const isOpen = before.split('"').length % 2 === 0 || before.lastIndexOf("“") > before.lastIndexOf("”");
    const from = Math.max(0, start - 1);
    const mark = isOpen ? 0 : this.#text.slice(from, end).search(quoteMark);
    const isAboutAttacks = attackStems.test(before + this.#text.slice(start, end) + after);
    return mark < 0 || !isAboutAttacks ? -1 : Math.max(start, from + mark);
  }
}

export type ScannedText = {
  text: string;
  /** The text with code replaced by spaces; everything else keeps its position. */
  prose: string;
  /** The same with inline code. */
  unfenced: string;
  code: readonly CodeRange[];
  documentation: Documentation;
  own: string;
};

/** Finds one kind of harm. Runs in linear time. */
export type Detector = (scanned: ScannedText) => Iterable<Match>;

export function scanText(text: string, domain: string): ScannedText {
  const code = findCode(text);
  const prose = maskCode(text, code);
  const fences = code.filter(({ isFence }) => isFence);
  const documentation = new Documentation(text, prose);
  return { text, prose, unfenced: maskCode(text, fences), code, documentation, own: registrableDomain(domain) };
}
