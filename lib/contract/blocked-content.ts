/** Lowest security score at which a vendor's text is withheld from models. */
export const blockedScore = 3;

/** Returns why a text is withheld, or undefined if it may be given to a model. `text` names it at the start of the sentence. */
export function explainBlocked(text: string, score: number): string | undefined {
  if (score < blockedScore) return undefined;
  return `${text} is withheld: its security score is ${score}, and content with a score of ${blockedScore} or more is not given to models.`;
}
