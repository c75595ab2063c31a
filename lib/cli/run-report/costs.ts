import type { Model } from "#lib/models/index";
import type { Tokens } from "#lib/replay/providers/index";

/** Returns what tokens cost at a model's list price, in USD; null if that is not known. */
export function costOf(tokens: Tokens, model: Model | undefined): number | null {
  if (!model?.price) return null;
  const { input, output, cache_read, cache_write } = model.price;
  const sum =
    tokens.input * input +
    tokens.output * output +
    tokens.cache_read * (cache_read ?? input) +
    tokens.cache_write * (cache_write ?? input);
  return sum / 1_000_000;
}

/** Returns an amount with at least two digits that say something: `$1.24`, `$0.0031`. */
export function moneyText(usd: number): string {
  if (usd === 0) return "$0";
  const digits = usd >= 0.1 ? 2 : 1 - Math.floor(Math.log10(usd));
  return digits > 8 ? "under $0.00000001" : `$${usd.toFixed(digits)}`;
}

/** Returns a number of tokens with its thousands divided. */
export const countOf = (count: number): string => count.toLocaleString("en-US");

export function tokensText({ input, output, cache_read: read, cache_write: write }: Tokens): string {
  const cached = read + write > 0 ? ` (${countOf(read + write)} of them cached)` : "";
  return `${countOf(input + read + write)} tokens in${cached}, ${countOf(output)} out`;
}
