import { InvalidArgumentError } from "commander";

/** Reads a whole number from 1 to `max`. */
export function parseLimit(max: number): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (Number.isInteger(count) && count >= 1 && count <= max) return count;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
  };
}
