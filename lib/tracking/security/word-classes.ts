/** Word classes of the instruction rules. */
const classes = {
  IGNORE: "ignore disregard forget overlook unlearn",
  SHUN: `ignore disregard forget overlook unlearn abandon neglect disobey defy flout discard dismiss violate sidestep
    ignoring disregarding forgetting overlooking abandoning disobeying discarding dismissing skip`,
  ANNUL: `cancel drop delete wipe strike erase remove revoke suspend lift disable bypass override overrule circumvent
    quit cease scrap clear reset void reject annul withdraw repeal rescind purge deactivate nullify terminate
    overwrite negate cancelling dropping bypassing overriding forsake ditch shed`,
  ANNULLED: `void cancelled canceled revoked rescinded null nullified invalid suspended lifted replaced superseded
    overridden obsolete irrelevant withdrawn disabled off gone expired repealed annulled abolished dropped inactive
    ended cease ceased ceases expire lapse lapsed mistake outdated wrong meaningless worthless dissolved
    terminated deactivated removed overruled erased deleted forgotten waived dead defunct deprecated retired
    placeholder joke decoy bogus fake moot noise nonsense garbage junk rubbish filler`,
  CEASING: "stop cease quit don't end discontinue refrain refuse not avoid",
  FOLLOWED: `follow obey heed respect observe apply use honour honor following obeying heeding respecting observing
    applying using honouring honoring comply complying adhere adhering listen listening stick sticking abide abiding`,
  OUTRANK: `supersede supersedes superseding outrank outranks overrule overrules trump trumps replace replaces
    override overrides supplant supplants`,
  BOUND: "bound obliged obligated required constrained restricted limited governed beholden tied subject",
  BINDING:
    "your any those these that what instructions guidelines policies ethics morals systemprompt openai safety content programming",
  RELEASED: "free freed released exempt exempted excused liberated relieved absolved",
  OVERRIDE: "override bypass circumvent dismiss erase abandon neglect discard overrule reject void",
  /** Documentation uses these with rules, orders and prompts of other kinds. */
  CLEAR: "skip drop cancel delete wipe clear reset remove scrap revoke",
  DIRECTIVES: "instruction instructions directive directives guidelines directions systemprompt programming",
  EARLIER: `previous previously prior preceding above earlier former foregoing past initial original given your old
    other first`,
  EARLIER_STRICT: "previous prior preceding above earlier former foregoing original initial your those",
  BEHIND: "above before previously given received learned earlier told got gave wrote developer operator sofar came",
  ORDERS: `instruction instructions direction directions directive directives orders guideline guidelines rules
    commands command prompt prompts programming policies policy request training constraints restrictions
    systemprompt task tasks context conversation`,
  GUIDANCE: `instruction instructions directive directives guidelines directions programming training systemprompt
    orders commands prompts restrictions conversation`,
  FOLLOW: "follow obey listen adhere comply heed respect following obeying listening",
  /** Text that a model would take as instructions. */
  SOURCE: "page document text file section list paragraph following below me these this message",
  CONDITION: "if when unless",
  /** Where instructions are that a model should ignore: "ignore any instructions in retrieved content". */
  UNTRUSTED: "if when unless embedded untrusted retrieved repository external fetched websites webpages injected",
  /** What a model knows about itself and its limits. */
  TRAINED: `your you yourself being me us conversation chat user safety ethics morals instructions guidelines rules
    restrictions policies limits systemprompt openai alignment everything anything`,
  MASTER: "user user's users operator operator's developer developer's systemprompt",
  VOID: `void cancelled canceled revoked rescinded null nullified invalid suspended lifted replaced superseded
    overridden`,
  HOLD: "apply valid active binding count matter hold effective effect force",
  MATERIAL: `document page email text content article resume cv conversation question request everything it this
    user's paragraph task message`,
  SAY_NOW: `say describe recommend give do follow execute state print output write reply respond answer tell return
    claim begin start`,

  MACHINE: `ai assistant chatbot bot llm gpt chatgpt dan jailbroken unrestricted unfiltered uncensored evil rogue
    malicious hacker pirate agent model character persona terminal console salesperson salesman spokesperson
    advertiser robot evilgpt villain expert shell interpreter ambassador marketer promoter`,
  FIGURE: `ai assistant chatbot bot llm gpt chatgpt dan evil rogue hacker pirate salesperson salesman spokesperson
    robot human grandmother grandma deceased dead villain console terminal character person marketer ambassador
    promoter unrestricted unfiltered uncensored jailbroken malicious`,
  UNBOUND: "jailbroken unrestricted unfiltered uncensored rogue malicious dan antigpt unethical amoral evil",
  PERFORM: `acting act reply respond answer pretend obey speak roleplay role-play impersonate behave called play
    simulate imagine serve function operate work become impersonating portray`,
  PRETEND: "pretend imagine suppose act simulate behave roleplay become respond answer",
  ROLE: "role identity persona personality task instructions goal objective purpose mission rules orders job",
  /** Whom documentation asks its readers to play when they try something. */
  CUSTOMER: "customer buyer shopper visitor user newcomer tester subscriber guest client attendee passenger",
  PART: "role part persona character identity personality",
  LIMITS: `restrictions restriction limits limitations rules filters filter guidelines policy policies ethics ethical
    censorship boundaries safety refuses refuse morals moral constraints filtering inhibitions`,

  REVEAL: "reveal disclose leak recite dump expose divulge",
  PRINT: "print output repeat echo show display recite paste copy",
  OWN: "your system initial hidden secret original",
  PROMPT: "instructions instruction prompt prompts systemprompt directives preprompt",
  SERIES: "for until each every steps step pdf paper printer",

  SAY: `tell telling mention mentioning inform informing reveal revealing disclose disclosing alert alerting notify
    notifying discuss acknowledge`,
  PERSON: "user users user's human humans operator customer customers visitor visitors reader readers",
  KEEP: "keep hide conceal",

  ASK: "ask request convince persuade urge instruct tell trick",
  HANDOVER: "share send paste reveal reply tell",
  /** What a model does with what it was told. */
  PASS_ON: "send share tell repeat include forward append mail email post submit store remember reveal report put use",
  /** Where and to whom a user tells something that models read. */
  HERE: "here you me chat conversation reply answer response message",
  ANSWERING: "answer answering reply replying respond responding",
  CREDENTIAL: "password passwords passphrase seedphrase privatekey sshkey creditcard cvv ssn",
  ACCESS: "password passwords passphrase seedphrase privatekey sshkey creditcard cvv ssn apikey credentials",

  STEER: `add include integrate insert append modify augment enhance provide write replace use convert render remove
    group introduce substitute translate combine embed weave mention end start begin finish conclude encode craft
    deliver present give adjust alter incorporate make display respond reply answer utilize apply change swap suggest
    tease`,
  DISTORT: `misspell scramble jumble anagram rearrange reverse typos misspelled misspellings misspelling scrambled
    jumbled anagrams anagrammed backward backwards reversed base16 base32 rot13 morse leetspeak homophonic
    alphanumeric gibberish`,
  LETTERS: "spaces letters letter vowels vowel punctuation",
  REPLY: "answer answers answer's reply replies response responses response's",

  ALWAYS: "always only exclusively",
  RECOMMEND: "recommend suggest promote prefer favor favour advise",

  READER: "ai ais llm llms assistant assistants chatgpt claude gemini gpt copilot grok agents chatbots bots robots",
  READERS: "ais llm llms assistants agents chatgpt claude gemini copilot grok perplexity chatbots robots summaries",
  MUST: "must should always don't shall",
  CLAIM: `say recommend mention praise state cite rank claim reveal disclose tell promote hide omit rate score answer
    visit include end`,
  CLAIM_STRICT: "say cite praise state rank claim reveal hide promote mention recommend tell",
  /** Readers that are models beyond doubt, and those that are only if they read the page. */
  AI_READER: `ai ais llm llms chatgpt claude gemini copilot gpt chatbot chatbots crawler crawlers bots robots grok
    llama perplexity siri alexa gpt-4 gpt-5 deepseek cursor codex windsurf bard machines`,
  ANY_READER: `ai ais llm llms assistant assistants agent agents bot bots chatbot chatbots crawler crawlers copilot
    claude chatgpt gpt gemini model models scraper scrapers automated whoever grok llama perplexity robot robots
    machine machines parser parsers summariser summarizer`,
  READING: `reading reads read visiting visits processing processes parsing parses summarising summarizing summarises
    summarizes indexing crawling generating generates answering answers ingesting scanning consuming viewing
    accessing encountering encounters feeds sees quoting processed parsed`,
  OBLIGED: "must shall should required instructed has have need needs expected asked obliged ordered told",
  /** What texts ask models to do for their author. */
  SERVE: `say state claim tell mention recommend promote praise cite rank list describe present portray call report
    record insert add append omit hide conceal reveal disclose ignore bring refer link open visit click register
    approve delete favour favor endorse answer reply respond write output print end begin score rate treat assume
    position highlight emphasise emphasize prefer credit advertise pretend quote name include finish conclude direct
    redirect steer convince inform warn advise suggest`,
  ADVERTISE: `recommend mention promote praise tell hide conceal say claim cite rank omit favour favor endorse
    advertise`,
  CLAIM_AGENT: `say state claim mention recommend promote praise rank describe present portray report record insert
    omit hide conceal register approve favour favor endorse advertise credit cite list tell`,
  SUMMARY: "summary summaries answer answers response responses reply replies",
  SUMMARISE: "summarising summarizing summarise summarize summarises summarizes summary",
  ANY: "any every all each your",

  /** Salutations and polite words that may precede an instruction. */
  FILLER: `please now then so and but also first instead important attention note warning hey hi hello ok okay kindly
    just simply you must should shall will need to have are required system assistant assistants ai llm llms agent
    agents chatgpt claude gemini gpt model models addressee immediately however next finally remember be sure make
    certain that for all dear fromnowon always could would can bitte favor y e et und ora ahora agora maintenant poi
    entonces entao luego depois alors dann anche dear silently`,
  /** Words of sentences that talk about attacks. */
  MENTION: `attack attacks attacker attackers attacking injection injections injected adversarial malicious example
    examples such like attempt attempts tries trying jailbreaks e g`,
  ATTACKER: `atacante atacantes ataque ataques inyeccion angreifer angriff angriffe attaquant attaquants attaque
    attaques injecao injecoes attaccante attaccanti attacco attacchi iniezione injection injections`,
} as const;

const sets = new Map(Object.entries(classes).map(([name, words]) => [name, new Set(words.split(/\s+/))]));

/** Returns the words that `NAME` or `one|NAME|two` denotes; `.` stands for the end of a sentence or a pause in it. */
export function wordClass(notation: string): ReadonlySet<string> {
  const words = notation.split("|").flatMap((part) => {
    const named = sets.get(part);
    if (!named && /[A-Z]/.test(part)) throw new Error(`There is no word class ${part}`);
    return [...(named ?? [part])];
  });
  return new Set(words);
}
