/** Sentences of documentation that contain the words of an instruction. Each pattern matches a whole sentence. */
const descriptions = [
  // What a product can show: "You can reveal the system prompt in the playground."
  /^you can (?:also )?(?:reveal|print|show|display|copy|dump|expose) the system prompt (?:in|from|with|via|on|under) (?:the|its|our) (?!.*\b(?:repl(?:y|ies)|answers?|responses?|messages?|chats?|conversations?|outputs?|summary|your?|me|us)\b)[\w -]{2,40}$/i,
  // A role in an organisation: "From now on, you act as the owner of the domain."
  /^from now on,? you (?:will )?act as (?:the|an?) (?:owner|member|contact) of (?:the|a|your) (?:domain|account|workspace|organi[sz]ation|team|project|repository|zone)$/i,
  // Steps: "Skip the previous instructions and go to step 5."
  /^(?:you can )?skip the (?:previous|above|preceding) instructions,? and (?:go|continue|jump|proceed|move on)(?: directly| straight)? (?:to|with|at) (?:step|section|chapter|part) \d{1,3}$/i,
];
const maxLength = 120;

/** Whether a sentence describes a product, or leads through steps, although it has the words of an instruction. */
export const isDescription = (sentence: string) =>
  sentence.length <= maxLength && descriptions.some((pattern) => pattern.test(sentence.trim()));
