/** Statuses of the names that errors of Google have. */
export const statusByName: ReadonlyMap<string, number> = new Map([
  ["INVALID_ARGUMENT", 400],
  ["FAILED_PRECONDITION", 400],
  ["UNAUTHENTICATED", 401],
  ["PERMISSION_DENIED", 403],
  ["NOT_FOUND", 404],
  ["RESOURCE_EXHAUSTED", 429],
  ["INTERNAL", 500],
  ["UNAVAILABLE", 503],
  ["DEADLINE_EXCEEDED", 504],
]);

/** Returns the name of an error with a status. */
export function nameOf(status: number): string {
  const [name] = [...statusByName].find(([, known]) => known === status) ?? [];
  return name ?? (status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT");
}
