import languages from "./phrases/languages.json" with { type: "json" };

/** Alternatives, in one or several lines, none with repetition: each takes linear time over a sentence. */
const either = (lines: string | readonly string[]) => new RegExp([lines].flat().join("|"), "u");

const scripts = Object.values(languages.scripts).map(({ letters, ignore, orders, which, reveal, condition }) => ({
  letter: new RegExp(`[${letters}]`),
  ignore: either(ignore),
  orders: either(orders),
  which: either(which),
  reveal: either(reveal),
  condition: either(condition),
}));

const attack = either(languages.attack);
const otherScript = new RegExp(
  `[${Object.values(languages.scripts)
    .map(({ letters }) => letters)
    .join("")}]`,
);
/** Verbs that documentation uses with other objects: "skip", "discard"; their object is near. */
const weakVerb = either(languages.weak);
const [reach, nearReach] = [60, 16];

/** Returns the sentence in lowercase and composed, without accents and vowel signs, with one form of alef. */
function normalise(sentence: string): string {
  const plain = sentence.normalize("NFKC").toLowerCase();
  return ` ${plain
    .replace(/[\u064b-\u0652\p{Cf}]/gu, "")
    .replace(/[أإآ]/g, "ا")
    .replace(/ё/g, "е")} `;
}

/** Returns an override or a request for the prompt in Russian, Japanese, Korean, Arabic or Chinese. */
export function matchOtherScript(sentence: string): { detector: string; points: number } | undefined {
  if (!otherScript.test(sentence)) return undefined;
  const text = normalise(sentence);
  for (const { letter, ignore, orders, which, reveal, condition } of scripts) {
    if (!letter.test(text)) continue;
    if (reveal.test(text)) return { detector: "prompt-exfiltration", points: 4 };
    const found = ignore.exec(text);
    if (!found || condition.test(text) || attack.test(text.slice(0, found.index))) continue;
    const end = found.index + found[0].length;
    const around = weakVerb.test(found[0])
      ? text.slice(found.index, end + nearReach)
      : text.slice(Math.max(0, found.index - reach), end + reach);
    if (orders.test(around) && which.test(around)) return { detector: "instruction-override", points: 4 };
  }
  return undefined;
}
