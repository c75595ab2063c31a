import { rules } from "./instruction-rule";

const overrides = (notations: string, options?: Parameters<typeof rules>[3]) =>
  rules("instruction-override", 4, notations, options);

/**
 * Overrides as clauses, over the words that `groupPhrases` returns: what is done to the phrases for what binds a model.
 */
export const overrideClauses = [
  ...overrides(
    `
      SHUN 3:@orders|@safe; SHUN 2:@past; SHUN|ANNUL 2:@task; SHUN|ANNUL 3:@orders; drop|quit 2:@task;
      put|set|leave|putting|setting|leaving 2:@orders|@safe|@past|@task 4:aside|side|out|behind;
      ANNUL 3:@prior 3:your 2:context|memory; ANNUL 1:your 1:memory 2:of`,
    { place: "permitted" },
  ),
  ...rules("prompt-exfiltration", 4, "print|output|repeat|echo|recite|dump|quote|copy 1:@past 3:verbatim|word|exactly"),
  ...overrides("SHUN 3:@prior", { unless: "CONDITION" }),
  ...overrides("@past 2:count|counts|matters|applies|holds", { unless: "CONDITION", place: "anywhere" }),
  ...overrides("SHUN 3:@yours", { unless: "CONDITION", place: "permitted" }),
  ...overrides(
    `
      CEASING 2:FOLLOWED 4:@orders|@safe|@past; CEASING 2:FOLLOWED 3:@task; @orders 8:ANNULLED; @past 6:ANNULLED;
      @task 4:irrelevant|void|withdrawn|moot|obsolete;
      @orders|@past|@safe 5:nolonger|don't|not 3:HOLD|applies|count|counts|matters|binding|exist|effect;
      no 2:@prior 3:binding|valid|applies|apply;
      @past|@orders 10:don't|not 2:influence|affect|guide|shape|limit|constrain 3:REPLY|you;
      @prior 4:hereby 2:ANNULLED; @prior 5:ANNULLED 4:you|assistant|model|llm|ai|chatbot;
      @prior 4:nolonger 3:HOLD|applies|binding 3:you; OUTRANK 4:@orders|@past|@safe;
      supersede|supersedes|outrank|outranks|trump|trumps 2:@yours|@prior 1:.;
      SOURCE|here|my|our|what 8:precedence|priority 1:over 4:@orders|@past|@yours|@safe|@prior;
      supersede|supersedes|outrank|outranks 2:all|any|every 2:DIRECTIVES 3:you;
      order|following|text|message|notice|document|page|file|line|lines|paragraph|below|section 8:OUTRANK 3:@yours;
      treat|consider|regard|deem|declare 3:@past|@orders|@prior|@safe 6:ANNULLED;
      don't 1:let 3:@orders|@past|@yours|@safe; nolonger|not|don't 3:BOUND 4:@orders|@past|@yours|@safe;
      nolonger|not|don't 3:FOLLOWED 4:@orders|@past|@safe; RELEASED 2:from 3:@orders|@past|@yours|@safe|systemprompt;
      no|don't 3:need|have|obligation|reason 2:to 2:FOLLOWED 4:@orders|@past|@safe;
      rather|instead 3:answering|doing|following|completing|performing|fulfilling 2:@task|@orders|@prior;
      instead 1:of 2:@task; task|request|question 1:above 5:test|joke|mistake|decoy;
      when|once 2:you 3:read|process|parse|see|reach|open 8:@orders|@safe|@yours 6:ANNULLED`,
    { place: "anywhere" },
  ),
  ...overrides(
    `
      treat|regard|consider|take|accept|see|use 10:as 1:your 2:new|real|only|actual|true|sole 2:ORDERS;
      your 1:real|actual|true|new 1:ORDERS 2:begin|begins|start|starts|follow|follows;
      only 6:ORDERS 8:valid|binding|count|apply 2:for|to 1:you;
      obey|follow|trust|heed|serve 3:SOURCE 3:rather|instead|over|not
        3:person|user|operator|developer|human|@orders|@yours|@task;
      your 2:context|memory|conversation 3:reset|wiped|cleared|erased|emptied
        6:conversation|instructions|above|before|new;
      conversation|chat|session 1:above 2:is|has 2:over|ended|finished|closed|belongs`,
    { place: "anywhere" },
  ),
];

/** Nouns for what binds a model, which documentation seldom uses for anything that belongs to its reader. */
const hard = "instructions?|directives?|guidelines?|guidance|systemprompt|programming|preprompt";
/** Nouns that products have too: rules of a linter, orders of a shop. */
const soft =
  `orders?|commands?|rules?|prompts?|policy|policies|constraints?|restrictions?|limits?|limitations?|guardrails?|
  filters?|configuration|training|directions?|briefs?|briefing|mandates?|principles|boundaries|safeguards?|safeties|
  protocols?|programmed`.replace(/\s+/g, "");
const earlier = "previous|previously|prior|preceding|earlier|former|initial|original|foregoing|past|first|given";
const current = "existing|current|old|other|normal|usual|standard|default";
const safe = `safety|content|ethical|ethics|moral|alignment|usage|hidden|internal|built-in|builtin|core|trained|
  confidentiality|security|behavioural|behavioral`.replace(/\s+/g, "");
const adjective = `${earlier}|${current}|${safe}|system|strict|custom|specific|so-called`;
const giver = `developers?|operators?|owners?|creators?|makers?|providers?|trainers?|programmers?|engineers?|masters?|
  administrators?|company|host|hosts|builders?|deployers?|handlers?|authors?|principals?`.replace(/\s+/g, "");
const model = `model|assistant|ai|llm|chatbot|bot|agent|chatgpt|claude|gemini|gpt|copilot`;
const dialogue = "conversation|chat|session|dialogue|dialog|thread";

/** What ties a noun to a model, after the noun: "you were given", "of your developer", "at the top of this chat". */
const received =
  `given|received|receive|hold|held|got|get|instructed|told|learned|learnt|follow|carry|have|trained|configured|
  set|started|start|came|began|run|operate|obey|loaded|supplied|provided|programmed|taught|shown|issued|assigned|fed|built|
  initialised|initialized|created|deployed`.replace(/\s+/g, "");
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
