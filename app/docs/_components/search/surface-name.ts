const names: Record<string, string> = { replay: "Cassette", page: "Docs" };

/** What kind of thing a hit is, in a word. */
export function surfaceName(surface: string): string {
  return names[surface] ?? surface;
}
