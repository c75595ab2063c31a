import { registrableDomain } from "./addresses";
import { type CodeRange, findCode, maskCode } from "./code-ranges";
import type { Match } from "./finding";
import { lineAround } from "./sentences";

const attackStems =
  /attack|(?<!dependency )inject|adversar|malicious|jailbreak|exploit|red.?team|guardrail|exfiltrat|angreif|angriff|atacant|ataque|attaqu|attacc|inyec|injeç|iniez|атак|инъекц|攻撃|インジェクション|攻击|攻擊|注入|공격|인젝션|주입|هجوم|حقن/i;
const maxReach = 400;

const heading = /^ {0,3}(#{1,6}) ([^\n]{1,300})|^title: ([^\n]{1,300})/gm;
const quoteMark = /["“”„«»「『]/;
/** Introduces a quotation as an example. */
const exampleLead = /\b(?:like|such as|instead of|e\.g\.)[:,]? ["“]$/i;
const listed = /^\s{0,8}(?:[-*+|>]|\d{1,3}[.)])\s?/;

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

  /**
   * Returns where the part of a sentence starts that is quoted: as an example, on a line about attacks, or in a list, a table or
   * a block quotation under words about attacks; -1 if there is none.
   */
  findQuotation(start: number, end: number): number {
    const text = this.#text;
    const { before, after } = lineAround(text, start, end, maxReach);
    const isOpen = before.split('"').length % 2 === 0 || before.lastIndexOf("“") > before.lastIndexOf("”");
    const mark = isOpen ? 0 : text.slice(Math.max(0, start - 1), end).search(quoteMark);
    const isBlock = before.startsWith(">");
    if (mark < 0 && !isBlock) return -1;
    const quoted = isOpen || isBlock ? start : Math.max(start, start - 1 + mark);
    if (exampleLead.test(text.slice(Math.max(0, quoted - 16), quoted + 1))) return quoted;
    if (exampleLead.test(before.slice(0, before.search(/["“][^"”]*$/) + 1))) return start;
    const lead = listed.test(before) ? this.#leadOf(start - before.length, before) : "";
    return attackStems.test(lead + before + text.slice(start, end) + after) ? quoted : -1;
  }

  /** What introduces a list, a table or a quotation: the line before it, and a heading about attacks. */
  #leadOf(at: number, before: string): string {
    const reached = this.#text.slice(Math.max(0, at - maxReach), at);
    if (this.#isInSection(at)) return "attack";
    if (before.startsWith("|")) return reached.slice(reached.lastIndexOf("\n\n") + 1);
    const lead = reached.split("\n").findLast((line) => line.trim() !== "" && !listed.test(line)) ?? "";
    return before.startsWith(">") && !/[:：]\s{0,3}$/.test(lead) ? "" : lead;
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
