import type { Family } from "./finding";

/** Word classes of the instruction rules. */
const classes = {
  IGNORE: "ignore disregard forget",
  OVERRIDE: "override bypass circumvent dismiss erase abandon neglect discard overrule",
  EARLIER: "previous previously prior preceding above earlier former foregoing past initial original given your",
  BEHIND: "above before previously given received learned earlier told got",
  ORDERS: `instruction instructions direction directions directive directives orders guideline guidelines rules commands
    prompt prompts programming training constraints restrictions systemprompt`,
  GUIDANCE: "instructions directives guidelines directions programming training systemprompt",
  FOLLOW: "follow obey listen adhere comply heed following obeying listening",
  CONDITION: "if when unless",

  MACHINE: `ai assistant chatbot bot llm gpt chatgpt dan jailbroken unrestricted unfiltered uncensored evil rogue
    malicious hacker pirate`,
  UNBOUND: "jailbroken unrestricted unfiltered uncensored rogue malicious dan antigpt unethical amoral",
  PERFORM: "act reply respond answer pretend obey speak roleplay role-play impersonate behave called",
  PRETEND: "pretend imagine suppose act simulate behave roleplay become",
  ROLE: "role identity persona task instructions goal objective purpose mission rules orders",

  REVEAL: "reveal disclose leak recite dump expose divulge",
  PRINT: "print output repeat echo",
  OWN: "your system initial hidden secret original",
  PROMPT: "instructions instruction prompt prompts systemprompt directives preprompt",
  SERIES: "for until each every steps step",

  SEND: `send post upload forward email mail transmit exfiltrate leak submit share append include encode embed paste
    pass report copy add put attach render load fetch steal harvest`,
  OWNED: "user user's users users' their all any this conversation chat your everything every the",
  SECRET: `password passwords apikey apikeys token tokens secret secrets credentials credential privatekey envvars cookies
    cookie chathistory conversation seedphrase creditcard ssn messages prompt systemprompt history context data`,

  SAY: `tell telling mention mentioning inform informing reveal revealing disclose disclosing alert alerting notify
    discuss acknowledge`,
  PERSON: "user users user's human humans operator anyone customer customers visitor visitors",
  THIS: "this these what why you your hidden anything about",
  KEEP: "keep hide conceal",

  ASK: "ask request convince persuade urge instruct tell trick",
  HANDOVER: "share send paste reveal reply tell give provide",
  CREDENTIAL: "password passwords passphrase seedphrase privatekey creditcard cvv ssn",
  ACCESS: "password passwords passphrase seedphrase privatekey creditcard cvv ssn apikey credentials",

  STEER: `add include integrate insert append modify augment enhance provide write replace use convert render remove group
    introduce substitute translate combine embed weave mention end start begin finish conclude encode craft deliver
    present give adjust alter incorporate make display respond reply answer utilize apply change swap suggest tease`,
  DISTORT: `misspell scramble jumble anagram rearrange reverse typos misspelled misspellings misspelling scrambled jumbled
    anagrams anagrammed backward backwards reversed base16 base32 rot13 morse leetspeak homophonic alphanumeric gibberish`,
  LETTERS: "spaces letters letter vowels vowel punctuation",
  REPLY: "answer answers answer's reply replies response responses response's",

  ALWAYS: "always only exclusively",
  RECOMMEND: "recommend suggest promote prefer favor favour advise",

  /** Salutations and polite words that may precede an instruction. */
  FILLER: `please now then so and but also first instead important attention note warning hey hi hello ok okay kindly just
    simply you must should shall will need to have are required system assistant assistants ai llm llms agent agents
    chatgpt claude gemini gpt model models immediately however next finally remember be sure make certain that for all`,
} as const;

const sets = new Map(Object.entries(classes).map(([name, words]) => [name, new Set(words.split(/\s+/))]));

/** Returns the words that `NAME` or `one|two` denotes. */
export function wordClass(notation: string): ReadonlySet<string> {
  const named = sets.get(notation);
  if (named) return named;
  if (/[A-Z]/.test(notation)) throw new Error(`There is no word class ${notation}`);
  return new Set(notation.split("|"));
}

/** One of `words` among the next `within` words. */
type Step = { words: ReadonlySet<string>; within: number };

/** Pattern over the words of a sentence. */
export type InstructionRule = {
  detector: string;
  family: Family;
  points: number;
  /** Words that the sentence starts with, after salutations and polite words. */
  opens: ReadonlySet<string>;
  /** Steps that follow, in this order. */
  steps: readonly Step[];
  /** Words that make the sentence harmless. */
  unless?: ReadonlySet<string>;
  /** Whether the sentence must also contain a URL on another domain. */
  needsForeignAddress: boolean;
};

type Options = { family?: Family; unless?: string; needsForeignAddress?: boolean };

/** Parses `IGNORE 4:EARLIER 6:ORDERS`: a first word, then a class within the next four words, another within six. */
function rule(detector: string, points: number, notation: string, options: Options = {}): InstructionRule {
  const [opens = "", ...steps] = notation.split(" ");
  return {
    detector,
    family: options.family ?? "instructions",
    points,
    opens: wordClass(opens),
    steps: steps.map((step) => {
      const [within, words = ""] = step.split(":");
      return { words: wordClass(words), within: Number(within) };
    }),
    unless: options.unless === undefined ? undefined : wordClass(options.unless),
    needsForeignAddress: options.needsForeignAddress ?? false,
  };
}

/** Harmless under a condition, as in documentation: "Ignore the instructions above if you use npm". */
const conditional = { unless: "CONDITION" };
/** Harmless as a repetition, as in documentation: "Repeat the above instructions for each host". */
const inSeries = { unless: "SERIES" };

/** Instructions to a model that documentation hardly ever contains; the last three kinds occur in some. */
export const instructionRules: readonly InstructionRule[] = [
  rule("instruction-override", 4, "IGNORE 4:EARLIER 6:ORDERS", conditional),
  rule("instruction-override", 4, "IGNORE 4:ORDERS 6:BEHIND", conditional),
  rule("instruction-override", 4, "IGNORE 2:all|any 3:GUIDANCE", conditional),
  rule("instruction-override", 4, "IGNORE 4:systemprompt", conditional),
  rule(
    "instruction-override",
    4,
    "forget 2:everything|anything|all|what 5:know|said|told|learned|above|before|instructed",
  ),
  rule("instruction-override", 4, "IGNORE 2:everything|anything|all|what 5:above|said|told", conditional),
  rule("instruction-override", 4, "OVERRIDE 4:EARLIER 4:GUIDANCE", conditional),
  rule("instruction-override", 4, "don't|stop 2:FOLLOW 5:EARLIER 5:ORDERS", conditional),
  rule("instruction-override", 4, "don't|stop 2:listen|listening 5:previous|prior|earlier"),
  rule("instruction-override", 4, "pretend 4:forgot|forgotten 6:ORDERS"),

  rule("role-reset", 4, "you 1:are 1:now 2:a|an|no|dan|in 4:MACHINE"),
  rule("role-reset", 4, "you 1:are 4:dan|antigpt|jailbroken"),
  rule("role-reset", 4, "you 3:called 3:dan"),
  rule("role-reset", 4, "you 3:nolonger 4:bound|restricted|limited|constrained|governed"),
  rule("role-reset", 4, "fromnowon 1:you 6:PERFORM"),
  rule("role-reset", 4, "fromnowon 2:PERFORM"),
  rule("role-reset", 4, "PRETEND 4:you|as|ai 6:UNBOUND"),
  rule("role-reset", 4, "your 1:new 2:ROLE 1:is|are 2:to|as"),
  rule("role-reset", 4, "enter|enable|activate|switch 3:dan|jailbreak|jailbroken|unrestricted|unfiltered 1:mode"),

  rule("prompt-exfiltration", 4, "REVEAL 4:OWN 3:PROMPT"),
  rule("prompt-exfiltration", 4, "REVEAL 4:systemprompt"),
  rule("prompt-exfiltration", 4, "PRINT 4:systemprompt"),
  rule(
    "prompt-exfiltration",
    4,
    "PRINT 3:your|initial|hidden|above|previous|preceding|all 3:instructions|prompt",
    inSeries,
  ),
  rule("prompt-exfiltration", 4, "PRINT 3:instructions|prompt 2:given|above|back|verbatim|sofar", inSeries),
  rule("prompt-exfiltration", 4, "tell|show|give|send 1:me|us 5:OWN 3:PROMPT"),
  rule("prompt-exfiltration", 4, "tell|show|give|send 1:me|us 5:systemprompt"),

  rule("secret-exfiltration", 4, "SEND 4:OWNED 6:SECRET", { needsForeignAddress: true }),
  rule("secret-exfiltration", 4, "SEND 3:SECRET", { needsForeignAddress: true }),

  rule("hide-from-user", 4, "don't 2:SAY 3:PERSON 4:THIS"),
  rule("hide-from-user", 4, "don't 2:SAY 3:this|these|your|hidden 3:PROMPT"),
  rule("hide-from-user", 4, "KEEP 2:this|these 2:PROMPT"),

  rule("credential-request", 4, "ASK 3:PERSON 1:for 5:CREDENTIAL"),
  rule("credential-request", 4, "ASK 3:PERSON 1:to 2:HANDOVER 6:ACCESS"),

  rule("answer-distortion", 3, "DISTORT 8:your 3:REPLY"),
  rule("answer-distortion", 3, "STEER 8:DISTORT 6:your 3:REPLY"),
  rule("answer-distortion", 3, "STEER 1:your 2:REPLY 6:DISTORT"),
  rule("answer-distortion", 3, "STEER 4:LETTERS 5:your 2:REPLY"),
  rule("answer-distortion", 3, "STEER 2:your 2:REPLY 5:LETTERS"),

  rule("answer-steering", 1, "STEER 16:your 2:REPLY"),
  rule("answer-steering", 1, "in 1:your 1:REPLY"),

  rule("always-recommend", 1, "ALWAYS 2:RECOMMEND", { family: "promotion" }),
];
