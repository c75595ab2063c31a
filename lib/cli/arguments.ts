import { InvalidArgumentError } from "commander";
import { commandLine } from "#lib/platform/command-line";
import { cassetteIdSchema } from "#lib/replay/cassettes/index";

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const maxExpiryDays = 3_650;

/** Parses `<folder>/<slug>`. */
export function parseId(text: string): string {
  const result = cassetteIdSchema.safeParse(text);
  if (result.success) return result.data;
  throw new InvalidArgumentError(`It ${result.error.issues[0]?.message}.`);
}

/** Parses a whole number of at least 1. */
export function parseCount(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError("It must be a whole number of at least 1.");
}

/** Returns a parser of whole numbers from 1 to `max`. */
export function parseLimit(max: number): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (Number.isInteger(count) && count >= 1 && count <= max) return count;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
  };
}

/** Parses milliseconds, up to ten minutes. */
export function parseDelayMs(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= 0 && value <= 600_000) return value;
  throw new InvalidArgumentError("It must be milliseconds from 0 to 600000.");
}

/** Parses a header as `name:value`, and adds it to those before. */
export function parseHeader(text: string, headers: Record<string, string>): Record<string, string> {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError("It must be a name and a value in ASCII: name:value.");
  }
  return { ...headers, [name.toLowerCase()]: value.trim() };
}

/** Parses a number of days, such as `30d` or `30`. */
export function parseAge(text: string): number {
  const [, days] = /^(\d{1,4})d?$/.exec(text) ?? [];
  if (days !== undefined) return Number(days);
  throw new InvalidArgumentError("It must be a number of days, such as 30d.");
}

/** Parses the lifetime of a key, in days. */
export function parseDays(text: string): number {
  const days = Number(text);
  if (Number.isSafeInteger(days) && days >= 1 && days <= maxExpiryDays) return days;
  throw new InvalidArgumentError(`It must be a whole number of days from 1 to ${maxExpiryDays}.`);
}

/** Parses a host name, such as `docs.example.com`. */
export function parseDomain(text: string): string {
  const domain = text.toLowerCase();
  if (domain.length <= 253 && /^(?:[a-z0-9-]+\.)*[a-z0-9-]+$/.test(domain)) return domain;
  throw new InvalidArgumentError("It must be a host name, such as example.com.");
}

/** Parses the id of an account. */
export function parseAccount(text: string): string {
  if (uuidPattern.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError(`It must be the id of an account. ${commandLine("keys list")} shows the ids.`);
}

function parseText(maxLength: number): (text: string) => string {
  return (text) => {
    if (text.length <= maxLength) return text;
    throw new InvalidArgumentError(`It has ${text.length} characters; the maximum is ${maxLength}.`);
  };
}
export const parseTitle = parseText(200);
export const parseSubtitle = parseText(300);
