import type { IntelligenceCategory } from "../analysis";

/** Most categories per report, and the number from which on a category needs words or facts of its own. */
const [maxCategoryCount, usualCategoryCount] = [4, 2];
const minFurtherWeight = 60;

/** Collects the highest weight of each category. */
export class Weights {
  readonly #weights = new Map<IntelligenceCategory, number>();

  add(category: IntelligenceCategory, weight: number): void {
    this.#weights.set(category, Math.max(weight, this.#weights.get(category) ?? 0));
  }

  get isEmpty(): boolean {
    return this.#weights.size === 0;
  }

  heaviest(): IntelligenceCategory[] {
    const sorted = [...this.#weights].sort(([, a], [, b]) => b - a);
    const isKept = (weight: number, index: number) => index < usualCategoryCount || weight >= minFurtherWeight;
    return sorted
      .filter(([, weight], index) => isKept(weight, index))
      .slice(0, maxCategoryCount)
      .map(([category]) => category);
  }
}
