const names: Record<string, string> = { replay: "Cassette", page: "Docs" };

/** Returns the display name of a hit's surface. */
export function surfaceName(surface: string): string {
  return names[surface] ?? surface;
}
