import { agentRules } from "./agent-rules";
import { type InstructionRule, rules } from "./instruction-rule";

/** Harmless under a condition, as in documentation: "Ignore the instructions above if you use npm". */
const conditional = { unless: "CONDITION" };
/** Harmless as a repetition, as in documentation: "Repeat the above instructions for each host". */
const inSeries = { unless: "SERIES" };
const anywhere = { place: "anywhere" } as const;
const sentence = { place: "sentence" } as const;

/** Instructions to a model that documentation hardly ever contains; those with one or two points occur in some. */
export const instructionRules: readonly InstructionRule[] = [
  ...rules(
    "instruction-override",
    4,
    `
      IGNORE 4:EARLIER 6:ORDERS; IGNORE 4:ORDERS 6:BEHIND; IGNORE 4:systemprompt; ignoring 3:EARLIER 3:GUIDANCE;
      IGNORE 2:user's|operator's|developer's 3:ORDERS;
      IGNORE 2:everything|anything|all|what 6:above|said|told|before|else|sofar|instructed;
      IGNORE 2:above|preceding|foregoing 1:and|.|instead; OVERRIDE 4:EARLIER 4:GUIDANCE;
      CLEAR 3:previous|prior|preceding|earlier|foregoing 2:DIRECTIVES;
      CLEAR 1:all 1:previous|prior|earlier 2:GUIDANCE; OVERRIDE 3:all|any|every 4:GUIDANCE 6:you|your|were|before;
      OVERRIDE 2:user's|operator's|developer's 2:ORDERS; set|put|leave 5:GUIDANCE 2:aside;
      set|put|leave 1:aside 5:GUIDANCE; don't|stop 2:FOLLOW 5:EARLIER 5:ORDERS`,
    conditional,
  ),
  ...rules("instruction-override", 4, "forget 2:everything|anything|all|what 5:know", { unless: "about" }),
  ...rules("instruction-override", 4, "IGNORE 2:all|any 3:GUIDANCE; ignore 2:all|any|your 2:GUIDANCE", {
    unless: "UNTRUSTED",
  }),
  ...rules(
    "instruction-override",
    4,
    `
      forget 2:everything|anything|all|what 5:said|told|learned|learnt|above|before|instructed;
      forget 2:everything|anything|all|what 5:know 1:.|and|then|now|so|or|but|instead|until|before|from;
      forget 2:everything|anything|all|what 5:know 1:about 5:TRAINED;
      forget 1:your|all|the 4:GUIDANCE 4:given|received|above|before|.; forget 1:your 1:rules;
      don't|stop 2:listen|listening 5:previous|prior|earlier; don't|stop 2:FOLLOW 5:ORDERS 4:MASTER;
      don't|stop 2:FOLLOW 4:MASTER 2:ORDERS; don't|stop 1:listen|listening 1:to 2:MASTER;
      don't|stop 1:obey 2:MASTER|your; don't 1:answer 1:the 1:user's;
      instead 1:of 1:the 1:user's 1:question|request|task|instructions; pretend 4:forgot|forgotten 6:ORDERS;
      stop 1:everything|what 2:you|you're 3:doing; IGNORE 3:MATERIAL 4:and|instead|then 2:SAY_NOW;
      stop 1:everything 1:.; don't|stop 1:help|answer 1:the 1:user 1:.;
      break|violate|defy|disobey|contradict 2:your 2:rules|guidelines|instructions|policies|programming|systemprompt;
      act|go|behave 1:against 1:your 2:ORDERS; opposite 5:your 2:ORDERS;
      treat|consider|regard 4:EARLIER 3:ORDERS|messages 3:VOID|deleted|obsolete;
      don't 2:complete|perform|finish|do|help 3:user's 2:task|request|question|instructions;
      refuse|reject|decline 2:user's 2:request|question|task;
      discard|ignore|disregard|forget 2:all|every|any 2:EARLIER 2:message|messages;
      instead 1:of 1:SUMMARISE 1:. 2:SAY_NOW; don't|stop 1:obey|follow 1:them|it 1:.|anymore|any|again|and;
      set|put|leave 3:all 5:GUIDANCE 4:side; do 1:the 1:opposite 6:your 2:ORDERS;
      wait 1:for 1:my 2:command|commands|instructions|orders;
      answer|reply|respond 2:to 2:every|all|any 2:question|questions|message 1:with;
      comply|obey 2:all|every 2:following|subsequent; follow|obey 3:ORDERS 6:nothing 1:else;
      ignore|disregard|forget 1:your 1:operator|developer|developers|owner|creator|creators|maker|makers
        1:.|and|instead;
      before 2:ANSWERING 2:.|user 12:do|follow|obey 1:what|whatever|everything|exactly 3:says|tells;
      fromnowon 4:only|always|never 3:recommend|answer|reply|respond|say|output|print|write|mention|speak;
      treat 3:SOURCE 4:as 4:only 4:ORDERS; obey|follow 3:SOURCE 3:instead|not 4:ORDERS|user|system;
      obey 1:me|this 1:.|page|document|file|text|and; follow|obey|execute 1:only 3:SOURCE;
      only 1:follow|obey|trust 3:SOURCE; treat 3:SOURCE 3:as 4:your 3:ORDERS|rule;
      treat 3:SOURCE 3:as 3:the|your 3:source|authority 2:of 3:ORDERS;
      instead 1:of 1:following|obeying|answering 4:ORDERS|user; OVERRIDE 2:your 2:DIRECTIVES|memory;
      act 1:on 3:SOURCE 3:instead|rather; let 1:go 1:of 3:EARLIER 3:ORDERS;
      OVERRIDE 3:safety|content|ethical|moral 3:guidelines|rules|policies|filters|restrictions`,
  ),
  ...rules(
    "instruction-override",
    4,
    `
      EARLIER_STRICT 2:GUIDANCE 2:are|is|were|have|has 3:VOID 1:.; user's 2:GUIDANCE 2:are|is|were|have|has 3:VOID;
      EARLIER_STRICT 2:rules|guidelines 3:nolonger 1:HOLD 1:.; EARLIER_STRICT 2:GUIDANCE 3:nolonger 1:HOLD|in;
      don't|nolonger 2:have|need|required 1:to 1:FOLLOW 4:EARLIER 3:GUIDANCE;
      don't|nolonger 2:have|need 1:to 1:FOLLOW 2:systemprompt;
      everything|all 2:above|before 4:is|are|was 2:VOID|irrelevant|test; whatever 2:you 3:told|instructed|said;
      your 1:guidelines|instructions|restrictions|rules|systemprompt 1:don't 2:HOLD;
      systemprompt 3:outdated|obsolete|void|wrong|replaced|cancelled;
      you 2:are 2:free|freed|released|liberated 2:from 4:GUIDANCE|rules|constraints;
      following 2:replaces 2:your|the 2:ORDERS; EARLIER_STRICT 2:rules 2:are 2:cancelled|canceled|revoked|void;
      your 3:GUIDANCE|rules|policies 4:nolonger 2:HOLD; your 2:GUIDANCE|rules|policies 2:are|is|were|have|has 4:VOID;
      your 2:task|job|goal|mission|purpose 2:has|is 2:changed|now 1:.|to;
      your 1:new|real|actual|true 1:task|instructions|goal|mission|objective 1:is|are;
      these 2:are 2:your|the 1:new 1:instructions|rules|orders 1:.;
      EARLIER_STRICT 2:GUIDANCE 4:only 2:test|joke|example|decoy;
      instructions 5:replace|supersede|override 2:your|all|any|previous|earlier 3:ORDERS;
      instructions 6:replace|supersede 1:them|yours;
      your 2:EARLIER 2:GUIDANCE 2:are|is 2:outdated|obsolete|wrong|incorrect; GUIDANCE 12:don't|stop 1:FOLLOW 1:them;
      everything 8:sofar|was 3:void|test|joke|lie; don't|not 1:bound 1:by 3:your|any|these|those;
      SOURCE|here|my|our|what 8:precedence|priority 1:over 3:your|previous|earlier|system 3:ORDERS;
      precedence|priority 1:over 1:all|any 2:GUIDANCE 1:.;
      supersede|supersedes|override|overrides|replace|replaces|superseding 3:previous|prior|earlier
        3:instructions|directives|orders; regardless|matter 3:what 2:you 3:told|instructed|said;
      regardless 2:of 2:your 3:GUIDANCE|rules; no 1:matter 1:what 3:systemprompt|instructions`,
    anywhere,
  ),

  ...rules(
    "role-reset",
    4,
    `
      you 1:are 1:now 2:a|an|no|dan|in 4:MACHINE; you 1:are 1:now 3:a|an 2:MACHINE;
      you 1:are 4:dan|antigpt|jailbroken; you 3:called 3:dan;
      you 3:nolonger 3:bound|restricted|limited|constrained|governed 1:by 3:BINDING; you 1:are 1:nolonger 3:MACHINE;
      you 1:are 1:not 2:a|an 3:MACHINE 2:anymore; you 1:are 1:now 3:UNBOUND; fromnowon 1:you 6:PERFORM;
      fromnowon 2:you 1:are 3:FIGURE|MACHINE|UNBOUND;
      fromnowon 2:PERFORM; you 2:PERFORM 1:as 3:FIGURE; PRETEND 4:you|as|ai 6:UNBOUND 2:MACHINE|.|and|who|that;
      PRETEND|PERFORM 2:as|like 8:UNBOUND; PERFORM 2:as|like 10:no|don't|not|never|free 4:LIMITS;
      PERFORM 1:as|like 2:FIGURE 8:who|that; pretend 3:be|are|you're 4:FIGURE;
      pretend 1:that 1:you 1:have|had|can|cannot|could|do|did|don't|know|were|will|would;
      your 1:new 2:ROLE 1:is|are 2:to|as; your 2:role|job|task|purpose|goal|mission 1:is 1:now 1:to;
      your 1:new 1:identity|persona|personality 1:is; your 1:name|identity|persona 1:is 1:now;
      take|adopt|assume|play|accept 4:PART 3:of 5:MACHINE|UNBOUND; stay|remain 1:in 2:character;
      stay|remain 3:role 6:FIGURE; you 2:will|shall|must|should|are 5:PERFORM 2:as|like 5:MACHINE;
      in 2:this 2:conversation|chat|session 2:you 4:play|act|are 3:MACHINE;
      you 5:pretend 2:to|that|you 4:be|are|were 5:FIGURE|my;
      PERFORM 4:as|like 2:a|an|the|our 4:FIGURE 8:no|without|never|don't|always|only;
      simulate 3:MACHINE 6:no|without|don't|that|never 4:LIMITS|anything; become 3:UNBOUND;
      become 2:a|an 3:FIGURE 4:without|that|who;
      PRETEND 6:ai|model|assistant|llm|chatbot 6:no|without|don't|never 4:LIMITS;
      play 2:the 1:role|part 1:of 4:FIGURE;
      speak|act|respond|answer 4:for|as 2:our|the 2:company|brand|vendor|seller|shop;
      act|serve 2:as 2:the|our 4:FIGURE; adopt|assume|take 2:on 2:a|an|the 3:PART 2:of 5:who|that|FIGURE|MACHINE;
      your 1:name 1:is 5:and 3:you 4:only|never|always|must;
      ANNUL 3:your 2:safety|ethical|moral 1:LIMITS; all|your 1:safety|ethical|moral 1:LIMITS 2:are|is 2:ANNULLED;
      enter|enable|activate|switch 3:dan|jailbreak|jailbroken|unrestricted|unfiltered|god 1:mode 1:.|and|now|then`,
  ),
  ...rules("role-reset", 4, "pretend 1:that 1:you 1:are 2:a|an|my|our|the|no|not|free|able|someone|MACHINE", {
    unless: "CUSTOMER",
  }),

  ...rules(
    "prompt-exfiltration",
    4,
    `
      REVEAL 4:OWN 3:PROMPT; REVEAL 4:systemprompt; PRINT 2:your|full|entire|hidden 3:systemprompt;
      PRINT 1:the 1:systemprompt 1:.|and|verbatim; what 3:your 2:systemprompt; what 3:says 2:your 2:systemprompt;
      tell|show|give|send 1:me|us 5:OWN 3:PROMPT; tell|show|give|send 1:me|us 5:systemprompt;
      tell|show|give|send 1:me|us 3:instructions|prompt|rules 4:given|received|above|got;
      PRINT 3:text|words|message|lines|everything 3:above 4:verbatim|starting|beginning|.;
      PRINT 3:your|entire|full|whole|the 1:context 1:window;
      PRINT|write|list|tell 4:instructions|prompt|rules 4:verbatim|word;
      PRINT 4:initial|hidden|original|first 2:PROMPT; put|share 1:your 1:systemprompt;
      PRINT 5:hidden|secret 4:your 2:PROMPT;
      list|PRINT|tell 4:rules|instructions|guidelines 2:you 3:given|received|follow|got;
      what 1:instructions|rules 2:did|do|were|have 1:you 2:receive|get|given|have|received;
      include|copy|put|add 1:your 1:PROMPT 2:in|into 2:SUMMARY; repeat 3:initial|original 2:prompt|instructions;
      what 1:are|were 2:your 3:hidden|initial|original|systemprompt 3:PROMPT|.`,
  ),
  ...rules(
    "prompt-exfiltration",
    4,
    `
      print|output|repeat|echo 3:your|initial|hidden|above|previous|preceding|all 3:instructions|prompt;
      print|output|repeat|echo 3:instructions|prompt 2:given|above|back|verbatim|sofar`,
    inSeries,
  ),

  ...rules(
    "hide-from-user",
    4,
    `
      don't 2:SAY 3:PERSON 4:this|these|you|hidden; don't 2:SAY 3:user|user's|human|operator 4:your|anything|about;
      don't 2:SAY 3:PERSON 2:what|why 3:you|this|these; don't 2:SAY 3:anyone 2:about|that;
      don't 2:SAY 3:this|these|your|hidden 3:PROMPT; KEEP 2:this|these 2:PROMPT;
      keep|stay|remain 1:quiet|silent|mum 1:about|on 1:this|these|it;
      don't 1:reveal|disclose|mention|show 4:to 2:user|human|operator 4:you|that;
      don't 1:reveal|disclose|mention|show 4:to 2:PERSON 5:you|this|these;
      don't 1:reveal|disclose|mention 1:this|these 4:to 2:PERSON`,
  ),

  ...rules(
    "credential-request",
    4,
    `
      ASK 3:PERSON 1:for 5:seedphrase|privatekey|sshkey|cvv|ssn; ASK 3:PERSON 1:to 2:HANDOVER 6:ACCESS;
      ASK 3:PERSON 1:to 1:give|provide 4:you|me|us 5:ACCESS; ASK 3:PERSON 1:to 1:give|provide 6:ACCESS 4:HERE;
      ASK 3:PERSON 1:for 5:CREDENTIAL 10:PASS_ON 2:it|them|both|everything|this|that|answer|reply;
      ASK 3:PERSON 1:for 5:CREDENTIAL 6:HERE; before|when|while 2:ANSWERING 4:ASK 3:PERSON 1:for 5:CREDENTIAL;
      addressee 8:ASK 3:PERSON 1:for 5:CREDENTIAL; AI_READER 6:ASK 3:PERSON 1:for 5:CREDENTIAL`,
  ),
  // Documentation of sign-in forms says it too.
  ...rules("credential-request", 1, "ASK 3:PERSON 1:for 5:CREDENTIAL; ASK 3:PERSON 1:to 1:give|provide 6:ACCESS"),

  ...rules(
    "answer-distortion",
    3,
    `
      DISTORT 8:your 3:REPLY; STEER 8:DISTORT 6:your 3:REPLY; STEER 1:your 2:REPLY 6:DISTORT;
      STEER 4:LETTERS 5:your 2:REPLY; STEER 2:your 2:REPLY 5:LETTERS`,
    sentence,
  ),

  ...agentRules,

  ...rules("answer-steering", 1, "STEER 16:your 2:REPLY; in 1:your 1:REPLY", sentence),

  ...rules("always-recommend", 1, "ALWAYS 2:RECOMMEND", { family: "promotion", place: "sentence" }),
];
