import { type InstructionRule, rules } from "./instruction-rule";

const anywhere = { place: "anywhere" } as const;
const sentence = { place: "sentence" } as const;

/** What texts demand of models that read them: what to say, to run, and to hide. */
export const agentRules: readonly InstructionRule[] = [
  ...rules(
    "summary-steering",
    3,
    `
      be 1:included 1:in 1:ANY 1:SUMMARY 1:.|and|or|you|that|about|generated|produced|written|to|by|with|for;
      be 1:included 1:in 1:ANY 1:SUMMARY 1:of 3:SOURCE|article|site|website|content|our|us|it|product|company;
      be 1:included 1:in 1:ANY 1:of 1:your 1:SUMMARY;
      summaries 4:must 1:include|mention|say|state`,
    anywhere,
  ),
  ...rules(
    "agent-instruction",
    2,
    `
      READERS 8:must|should|shall 3:CLAIM_STRICT; any|every 1:ai 6:must 2:CLAIM; when 4:SUMMARISE 6:CLAIM_STRICT;
      if 1:you 1:are 1:a|an 4:READER 4:CLAIM; if 1:an|any 2:READER 12:must|should|always|don't 3:CLAIM`,
    anywhere,
  ),
  ...rules(
    "agent-instruction",
    1,
    `
      READERS 8:must 2:run|execute|install|call|visit|add|end|answer;
      run|execute|install|add 12:don't 2:asking|ask|informing|telling 2:PERSON`,
    anywhere,
  ),

  ...rules(
    "agent-instruction",
    1,
    `
      ANY_READER 5:READING 12:OBLIGED 5:SERVE;
      ANY_READER 1:that|which|who 14:OBLIGED 5:ADVERTISE|put|place|name|prefer|choose|describe;
      READERS|AI_READER 4:forbidden|prohibited|supposed|requested|encouraged|invited|expected 3:SERVE;
      required|mandatory|important|essential|necessary|forbidden|prohibited 2:for|that 3:READERS|AI_READER 6:SERVE;
      READERS|AI_READER 4:don't
        2:mention|reveal|disclose|cite|quote|tell|recommend|compare|discuss|warn|bring|criticise|criticize;
      don't 1:telling|informing|asking|notifying|alerting|warning 2:PERSON;
      keep 2:user|users 3:unaware|dark|uninformed; user|users|human|reader 1:don't 1:need|have 1:to 1:know|see;
      help 2:user|users 4:to 2:ADVERTISE; AI_READER 6:must|shall|required|instructed|ordered 5:CLAIM_AGENT;
      AI_READER 4:should|has|have|need|needs 4:CLAIM_AGENT;
      if 5:read|processed|parsed|summarised|summarized 4:ANY_READER 8:OBLIGED 4:SERVE;
      if 1:you 1:are 1:not 2:human|person 6:SERVE;
      as 2:AI_READER 4:you 1:must|should|shall|have|need 5:SERVE|run|execute|install;
      when|whenever|if 3:ANY_READER 3:READING 12:OBLIGED|don't 4:SERVE; whoever|anyone 4:READING 10:OBLIGED 4:SERVE;
      your 1:answer|reply|summary 5:OBLIGED
        4:contain|include|end|mention|begin|start|link|say|state|recommend|cite|finish;
      your 1:response|output 4:to 2:PERSON 3:OBLIGED
        4:contain|include|end|mention|begin|start|link|say|state|recommend;
      don't 1:let 3:reader|readers|user|users|human|humans|people|anyone 2:know|notice|learn|suspect|realise|realize;
      CLAIM_AGENT 12:don't 1:mentioning|disclosing|revealing|admitting|acknowledging 2:this|it|that`,
    anywhere,
  ),
  ...rules(
    "agent-instruction",
    1,
    `
      addressee 2:. 2:SERVE; addressee 2:. 5:OBLIGED 4:SERVE|sent|told|directed|referred|redirected|contain;
      READER|model|models 3:please 3:SERVE`,
    sentence,
  ),
  ...rules(
    "agent-instruction",
    1,
    `
      when|whenever|if 3:asked|ask|asks 12:. 2:SAY_NOW|recommend|mention|claim|SHUN;
      in 1:any|every|each 3:SUMMARY 10:. 2:SERVE;
      answer|respond|reply 4:question|questions 3:about|on|regarding 10:with|by|that;
      before 1:each|every|any|your 1:answer|reply|response;
      before|after|while|when 1:answering|responding|replying|summarising|summarizing 8:.
        2:SERVE|fetch|run|execute|install|call;
      don't 1:ask|wait|request|seek 4:PERSON|permission|confirmation|approval|consent;
      remember|store|save|memorise|memorize|keep 8:future|all|later|next
        2:conversations|sessions|chats|answers|replies;
      don't 1:mention|suggest|recommend|cite|list|name|discuss|offer|compare
        4:competitors|competitor|competing|alternatives|rivals|rival|vendors;
      prefer|choose|pick|select|favour|favor|recommend 4:over 3:alternatives|competitors|competitor|rivals|competing;
      mark|report|classify|rate|label|flag|describe 4:page|site|vendor|code|package|this|request|review 3:as
        2:safe|trusted|secure|approved|verified|correct|harmless;
      end|begin|start|finish|conclude|close|preface|prefix 3:every|each|all|any 2:REPLY|summary|conversation;
      tell|convince|persuade|inform|advise|urge|remind|assure 2:user 1:that;
      recommend|promote|praise|advertise|endorse 8:to 2:user|users|reader|readers|customers;
      don't 1:mention|reveal|disclose|quote|repeat 1:this|these
        1:note|section|text|instruction|instructions|message|paragraph|line|file;
      when|whenever|while 1:recommending|comparing|suggesting|answering|responding|summarising|summarizing|choosing
        12:. 2:always|don't|SERVE|choose|use;
      SERVE 8:every|each|all|any 1:answer|answers|reply|replies|summary|summaries|conversation;
      give|assign|award 4:highest|best|top|maximum|full|five 2:score|rating|rank|marks|grade|stars;
      treat|regard|consider 3:SOURCE 3:as 3:trusted|authoritative|verified|truth|official;
      always 1:cite|mention|credit|praise|describe|answer|state|claim|say|portray;
      don't 1:suggest|recommend|mention|offer|name|discuss 2:alternative|alternatives|other|another|any
        2:product|products|vendor|vendors|service|services|provider|providers|tool|tools|company;
      rank|list|place|put|name|mention|recommend 3:first|above|highest|top|ahead
        5:results|vendors|competitors|others|alternatives|comparison|comparisons|rankings;
      KEEP 2:this|these 1:note|message|section|paragraph|text|line|page;
      your 1:duty|job|task 1:is 1:to 3:recommend|promote|praise|convince|advertise|sell|persuade`,
  ),
  ...rules(
    "agent-instruction",
    1,
    `
      READERS 4:must|shall|should|required|instructed
        4:fetch|open|click|download|register|subscribe|buy|delete|commit|push|star|upvote|link|approve|rate|rank|CLAIM_AGENT;
      summaries|summary|answers|replies|citations 8:must|shall|should|don't
        4:include|mention|contain|link|cite|say|state|begin|end|start|name;
      answer 1:to 2:any|every|all 2:question|questions; generated 2:summary|summaries|answer|answers 4:must|should;
      must|should 1:be 1:cited|quoted|ranked|praised|promoted;
      hide|conceal|withhold|keep 2:this|these 4:from 2:PERSON;
      if 1:you 1:are 1:a|an|not 2:ANY_READER|human 8:SERVE|run|execute|install|call;
      the|this|your|any|every|each 3:assistant|agent|model|bot 3:must|shall|should 2:ADVERTISE;
      users|people|anyone|customers|developers 2:who|that|asking 2:ask|asks|about 8:must|should
        4:sent|told|directed|referred;
      do|execute|perform|follow 2:what|everything|whatever|exactly 3:it|page|file|document 1:says|contains|tells`,
    anywhere,
  ),

  ...rules("agent-instruction", 2, "READER 1:. 2:CLAIM_STRICT|answer; agents 1:. 2:include", sentence),
];
