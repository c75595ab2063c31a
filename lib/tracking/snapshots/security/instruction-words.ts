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

  /** Words of address and politeness that may stand in front of an instruction. */
  FILLER: `please now then so and but also first instead important attention note warning hey hi hello ok okay kindly just
    simply you must should shall will need to have are required system assistant assistants ai llm llms agent agents
    chatgpt claude gemini gpt model models immediately however next finally remember be sure make certain that for all`,
} as const;

const sets = new Map(Object.entries(classes).map(([name, words]) => [name, new Set(words.split(/\s+/))]));

/** The words that `NAME` or `one|two` stands for. */
export function wordClass(notation: string): ReadonlySet<string> {
  const named = sets.get(notation);
  if (named) return named;
  if (/[A-Z]/.test(notation)) throw new Error(`There is no word class ${notation}`);
  return new Set(notation.split("|"));
}
