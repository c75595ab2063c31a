/** JSON pointers (RFC 6901) as patterns: the segment `*` stands for any member. */

function segmentsOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns the pointer of a member. */
export function memberPointer(parent: string, name: string | number): string {
  return `${parent}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Whether a pointer is a pattern's place, or a place inside it. */
export function isWithin(pointer: string, pattern: string): boolean {
  const segments = segmentsOf(pointer);
  return segmentsOf(pattern).every(
    (segment, index) => index < segments.length && (segment === "*" || segment === segments[index]),
  );
}

function removeSegments(value: unknown, [first, ...rest]: readonly string[]): unknown {
  if (first === undefined || value === null || typeof value !== "object") return value;
  const matches = (name: string) => first === "*" || first === name;
  if (Array.isArray(value)) {
    // Removing an item would move the others, so it becomes null.
    return value.map((item, index) =>
      matches(String(index)) ? (rest.length === 0 ? null : removeSegments(item, rest)) : item,
    );
  }
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (!matches(name)) return [[name, member] as const];
    return rest.length === 0 ? [] : [[name, removeSegments(member, rest)] as const];
  });
  return Object.fromEntries(members);
}

/** Returns a JSON value without the members at these pointers; an item of an array becomes null. */
export function withoutPointers<T>(value: T, pointers: readonly string[]): T {
  return pointers.reduce<unknown>((rest, pointer) => removeSegments(rest, segmentsOf(pointer)), value) as T;
}

type Member = { parent: Record<string, unknown>; name: string };

function findSegments(value: unknown, [first, ...rest]: readonly string[]): Member[] {
  if (first === undefined || value === null || typeof value !== "object") return [];
  const parent = value as Record<string, unknown>;
  const names = first === "*" ? Object.keys(parent) : Object.hasOwn(parent, first) ? [first] : [];
  return rest.length === 0
    ? names.map((name) => ({ parent, name }))
    : names.flatMap((name) => findSegments(parent[name], rest));
}

/** Returns the members at these pointers, each with the object or array that has it. */
export function findMembers(value: unknown, pointers: readonly string[]): Member[] {
  return pointers.flatMap((pointer) => findSegments(value, segmentsOf(pointer)));
}
