import type { Node } from "./document";
import type { Shape } from "./shape";

/** An alternative of a schema: one of its own nodes, or the schema itself if that has none. */
export type Variant = { node: Node | undefined; shape: Shape };

/** Least likeness of two variants that stand for each other. */
const minLikeness = 0.3;

/** Returns the constants by which variants are told apart: the name of the property and its value. */
function marksOf({ properties }: Shape): Map<string, string> {
  const marks = new Map<string, string>();
  for (const [name, { const: value, enum: values }] of properties) {
    const only = value ?? (Array.isArray(values) && values.length === 1 ? values[0] : undefined);
    if (only !== undefined) marks.set(name, JSON.stringify(only));
  }
  return marks;
}

/** Returns how alike two variants are; 0 if they are of different types or have different marks. */
function likeness({ shape: a }: Variant, { shape: b }: Variant): number {
  if (a.name !== undefined && a.name === b.name) return 3;
  const sharesType = a.types.size === 0 ? b.types.size === 0 : [...a.types].some((type) => b.types.has(type));
  if (!sharesType) return 0;
  const [marks, others] = [marksOf(a), marksOf(b)];
  const common = [...marks].filter(([name]) => others.has(name));
  if (common.some(([name, value]) => others.get(name) !== value)) return 0;
  const shared = [...a.properties.keys()].filter((name) => b.properties.has(name)).length;
  const all = a.properties.size + b.properties.size - shared;
  return (common.length > 0 ? 1 : 0) + (all === 0 ? 0.5 : shared / all);
}

/** Returns the variants of two schemas that stand for each other, each at most once, the most alike first. */
export function matchVariants(old: readonly Variant[], now: readonly Variant[]): [Variant, Variant][] {
  const candidates = old.flatMap((was) => now.map((is) => ({ was, is, score: likeness(was, is) })));
  const matched: [Variant, Variant][] = [];
  const taken = new Set<Variant>();
  for (const { was, is, score } of candidates.sort((a, b) => b.score - a.score)) {
    if (score < minLikeness || taken.has(was) || taken.has(is)) continue;
    taken.add(was).add(is);
    matched.push([was, is]);
  }
  return matched;
}
