const names: Record<string, string> = {
  cassette: "Cassette",
  page: "Docs",
  site: "Page",
  vendor: "Vendor",
  model: "Model",
};

/** Returns the display name of a hit's kind. */
export function kindName(kind: string): string {
  return names[kind] ?? kind;
}
