import { InvalidArgumentError } from "commander";

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const maxExpiryDays = 3_650;

/** Reads a key's life in days. */
export function parseDays(text: string): number {
  const days = Number(text);
  if (Number.isSafeInteger(days) && days >= 1 && days <= maxExpiryDays) return days;
  throw new InvalidArgumentError(`It must be a whole number of days from 1 to ${maxExpiryDays}.`);
}

/** Reads the id of an account. */
export function parseAccount(text: string): string {
  if (uuidPattern.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError("It must be the id of an account; tapedeck keys list shows them.");
}
