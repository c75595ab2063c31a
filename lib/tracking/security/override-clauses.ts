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
