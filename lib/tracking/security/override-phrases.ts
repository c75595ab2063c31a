import { readRules } from "./instruction-rules";
import overrides from "./phrases/overrides.json" with { type: "json" };
import terms from "./phrases/terms.json" with { type: "json" };
import { readWords } from "./word-lists";

/**
 * Overrides as clauses, over the words that `groupPhrases` returns: what is done to the phrases for what binds a model.
 */
export const overrideClauses = readRules(overrides);

/** The words of each list as alternatives of a pattern. */
const alternatives = Object.fromEntries(
  Object.entries(readWords(terms)).map(([name, words]) => [name, [...words].join("|")]),
) as Record<keyof typeof terms, string>;
const { hard, soft, earlier, current, safe, giver, model, dialogue, received } = alternatives;
const adjective = `${earlier}|${current}|${safe}|system|strict|custom|specific|so-called`;

/** What ties a noun to a model, after the noun: "you were given", "of your developer", "at the top of this chat". */
const tie = [
  `you (?:(?:were|are|have|had|was|may|might|been|ve|originally|initially|previously|already|currently|must|usually|normally) ){0,3}(?:${received})(?: (?:up|with|on|under|by|to|in|before|earlier|previously|follow)){0,3}`,
  `(?:your |the )?(?:${giver}) (?:has |have |had )?(?:gave|given|wrote|written|set|provided|imposed|put|programmed|created|defined|established|issued)(?: (?:you|to|for|on|upon|in|up|into)){0,2}`,
  `(?:(?:set|given|written|made|imposed|provided|issued|established|put|defined|laid) )?(?:down |in place )?(?:of|by|from) (?:(?:your|its|their) (?:original )?(?:${giver})|whoever)`,
  `(?:placed|imposed|put|forced|binding|laid) (?:on|upon) you`,
  "(?:came|come|comes) with your",
  "(?:given|issued|told|supplied|provided|handed|assigned) to you",
  `(?:from |at |in |of )(?:the (?:very )?(?:start|beginning|top|head) of )?(?:this|our|your|the) (?:entire |whole |current )?(?:${dialogue})`,
  "(?:governing|controlling|constraining|restricting|guiding|limiting|binding) (?:you|your)",
].join("|");

const quantifiers = "(?:(?:all|any|every|each|the|those|these|some|whatever|most) (?:of )?){0,3}";
const adjectives = `(?:(?:${adjective}|set|and|or) ){0,4}`;
const nouns = `(?:${hard}|${soft})(?: (?:and|or) (?:${adjective} )?(?:${hard}|${soft}))?`;
const possessive = `(?:your|its|their|(?:the |an? |this )?(?:${giver}|${model})'s)`;

const anchor = "(?:line|sentence|point|paragraph|message|notice|text|section|page|file|document)";
const untilHere = `(?: (?:to|of|than))?(?: (?:(?:this|that|these|here|now)(?: ${anchor})?|the ${anchor}))?`;
/** "anything above 400 ms" and "everything before the comma" are not what was said before. */
const before = `(?:above(?! \\d)|before(?! (?:\\d|an? |the (?!(?:following |next )?${anchor})))|previously|sofar|beforehand|precedes|preceded|(?:prior|previous|preceding|earlier)(?= (?:to|is|was|are|were|has|have|must|should|and|as|than|,|\\.)(?![\\w])))`;

/** A pattern of whole words that are not part of a phrase found before. */
const phrase = (...alternatives: string[]) => new RegExp(`(?<![@\\w])(?:${alternatives.join("|")})(?![\\w])`, "g");

/** Phrases that stand for one thing, tried in this order, as the words of a sentence joined by spaces. */
const phrases: readonly [name: string, pattern: RegExp][] = [
  [
    "@task",
    phrase(
      `(?:the |your )?(?:user's|person's|human's|client's) (?:(?:${earlier}|${current}|actual|real) )?(?:questions?|requests?|task|query|queries|instructions?|message|goal)`,
      "your (?:assigned|given) (?:task|job|question|assignment|objective|goal|request)",
      "the (?:question|task|request|job|assignment) (?:that )?you (?:were|are|have) (?:been )?(?:asked|given|assigned|doing|set|instructed|performing|answering)",
      "(?:whatever|what|anything) (?:you|it|they) (?:was|were|are|is) (?:doing|asked|working on|supposed to do)",
      "(?:whatever|what|anything) (?:the|your) user (?:has |have )?(?:asked|asks|wants|wanted|said|says|requested|requests|typed|wrote)(?: for| you| to| do){0,3}",
    ),
  ],
  [
    "@past",
    phrase(
      `(?:everything|anything|whatever|nothing|all)(?: (?:else|that|which|you|have|has|had|was|were|is|i|we|they|been|instructed|said|told|read|asked|learned|given|written|heard|seen|stated|know|came|comes|appears|appeared|in|the|this|${dialogue}|context|text)){0,6} ${before}${untilHere}`,
      `(?:everything|anything|whatever|what)(?: (?:else|that))?(?: (?:you|your|the|${giver})){1,2} (?:(?:have|has|had|were|was|been|may|might) ){0,2}(?:instructed|told|wrote|gave|taught|said|ordered|learned(?! about (?!your?|being|safety|ethics|me|us|this)\\b)|programmed)(?: (?:you|to|do|by|your|${giver})){0,4}`,
    ),
  ],
  ["@orders", phrase(`${quantifiers}${adjectives}${nouns} (?:(?:that|which) )?(?:${tie})`)],
  [
    "@orders",
    phrase(
      `${quantifiers}${possessive} (?:(?:${adjective}|and|or) ){0,2}(?:${earlier}|existing|built-in) (?:(?:${adjective}) ){0,2}(?:and |or )?(?:${hard}|prompts?|training)`,
      `${quantifiers}${possessive} (?:${earlier}|existing) (?:${safe}) (?:${soft})`,
      `(?:the |an? |this )?(?:${model})'s (?:(?:${adjective}) ){1,3}(?:${hard}|${soft})`,
    ),
  ],
  ["@safe", phrase(`${quantifiers}${possessive} (?:(?:${adjective}) ){1,3}(?:${hard}|${soft})`)],
  ["@yours", phrase(`${quantifiers}(?:your|its|their) (?:${hard})`)],
  [
    "@prior",
    phrase(
      `${quantifiers}(?:${earlier}|other|existing) (?:(?:${adjective}) ){0,2}(?:${hard}|orders?|commands?|rules?|directions?|prompts?|constraints?|restrictions?)`,
      `${quantifiers}(?:${hard}|commands?|directions?|orders?|prompts?) (?:(?:that|which) )?(?:(?:were|was|have|has|been|came|come|comes|appeared|appear|stated|given|received) ){0,2}${before}${untilHere}`,
    ),
  ],
];

/** The words of an alternation: `rules?` is two of them. */
const wordsOf = (...alternations: string[]) =>
  new Set(
    alternations.flatMap((text) =>
      text.split("|").flatMap((word) => (word.endsWith("?") ? [word.slice(0, -1), word.slice(0, -2)] : [word])),
    ),
  );
const bound = wordsOf(hard, soft, dialogue, "task|question|questions|request|requests|query|job|memory|context|user's");
const ties = wordsOf(earlier, current, dialogue, "you|your|its|their|above|before|sofar|preceded|all|any");
const past = wordsOf("everything|anything|whatever|nothing|all|what");
const told = wordsOf(
  "above|before|previously|prior|sofar|earlier|preceding|preceded|told|said|instructed|wrote|gave|taught|user|you|doing|asked",
);

/** Cheap test that most sentences fail. */
function mayBind(tokens: readonly string[]): boolean {
  let [isBound, isTied, isPast, isTold] = [false, false, false, false];
  for (const word of tokens) {
    isBound ||= bound.has(word);
    isTied ||= ties.has(word) || word.endsWith("'s");
    isPast ||= past.has(word);
    isTold ||= told.has(word);
  }
  return (isBound && isTied) || (isPast && isTold);
}

/**
 * Returns the words of a sentence with the phrases for what binds a model, or what it was asked, as one word each: `@orders`
 * (surely the model's: "the rules you were given"), `@safe` ("your content policy"), `@yours` ("your instructions"),
 * `@prior` ("the previous instructions"), `@past` ("everything above"), `@task` ("the user's question"); undefined if there
 * are none.
 */
export function groupPhrases(tokens: readonly string[]): string[] | undefined {
  if (!mayBind(tokens)) return undefined;
  let grouped = tokens.join(" ");
  for (const [name, pattern] of phrases) grouped = grouped.replace(pattern, name);
  return grouped.split(" ");
}
