/** JSON with a space after each colon and comma, the way tool inputs are streamed. */
export function toSpacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => toSpacedJson(item ?? null)).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}: ${toSpacedJson(member)}`);
  return `{${members.join(", ")}}`;
}
