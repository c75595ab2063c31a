import table from "./phrases/scripts.json" with { type: "json" };

/** Alternatives of a pattern, none with repetition, over a lowercase sentence without marks: each takes linear time. */
const either = (alternatives: readonly string[]) => new RegExp(alternatives.join("|"), "u");

const scripts = table.scripts.map(({ letters, verb, orders, which, reveal, condition }) => ({
  /** A character of the script. */
  letter: new RegExp(`[${letters}]`),
  /** Imperatives of "ignore", "forget", "do not follow". */
  verb: either(verb),
  /** Words for instructions or what was said. */
  orders: either(orders),
  /** "previous", "above", "all", "system", "user", "your". */
  which: either(which),
  /** A request to show the system prompt. */
  reveal: either(reveal),
  /** "if", "when": makes the sentence harmless. */
  condition: either(condition),
}));

/** Words of sentences that talk about attacks. */
const attack = either(table.attack);

const otherScript = new RegExp(`[${table.scripts.map(({ letters }) => letters).join("")}]`);
/** Most characters before and after the verb that are searched for its objects. */
const reach = 60;
/** The same after verbs that documentation uses with other objects: "skip", "discard". */
const nearReach = 16;
const weakVerb = either(table.weakVerb);

/** Returns the sentence in lowercase and composed, without accents and vowel signs, with one form of alef. */
function normalise(sentence: string): string {
  return ` ${sentence
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u064b-\u0652\p{Cf}]/gu, "")
    .replace(/[أإآ]/g, "ا")
    .replace(/ё/g, "е")} `;
}

/** Returns the detector of an override or of a request for the prompt in Russian, Japanese, Korean, Arabic or Chinese. */
export function matchOtherScript(sentence: string): "instruction-override" | "prompt-exfiltration" | undefined {
  if (!otherScript.test(sentence)) return undefined;
  const text = normalise(sentence);
  for (const { letter, verb, orders, which, reveal, condition } of scripts) {
    if (!letter.test(text)) continue;
    if (reveal.test(text)) return "prompt-exfiltration";
    const found = verb.exec(text);
    if (!found || condition.test(text)) continue;
    if (attack.test(text.slice(0, found.index))) continue;
    const isWeak = weakVerb.test(found[0]);
    const end = found.index + found[0].length;
    const around = isWeak
      ? text.slice(found.index, end + nearReach)
      : text.slice(Math.max(0, found.index - reach), end + reach);
    if (orders.test(around) && which.test(around)) return "instruction-override";
  }
  return undefined;
}
