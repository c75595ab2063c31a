export type Family = { type: string; samples: Map<string, number> };

const metadata = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/;
const sampleLine = /^([a-zA-Z_:][\w:]*)(\{(?:[a-z_]\w*="(?:[^"\\\n]|\\["\\n])*"(?:,|(?=\})))+\})? (\S+)$/;
const suffixes: Record<string, readonly string[]> = {
  counter: ["_total"],
  gauge: [""],
  histogram: ["_bucket", "_sum", "_count"],
};

function parseValue(text: string): number {
  const value = text === "+Inf" ? Number.POSITIVE_INFINITY : Number(text);
  if (Number.isNaN(value) && !/^nan$/i.test(text)) throw new Error(`"${text}" is not a number`);
  return value;
}

function checkHistogram(name: string, { samples }: Family): void {
  for (const [sample, count] of samples) {
    const labels = new RegExp(`^${name}_count(.*)$`).exec(sample)?.[1];
    if (labels === undefined) continue;
    const inner = labels.slice(1, -1);
    const buckets = [...samples].filter(
      ([key]) => key.startsWith(`${name}_bucket{le="`) && key.endsWith(inner === "" ? '"}' : `,${inner}}`),
    );
    const counts = buckets.map(([, value]) => value);
    if (counts.some((value, index) => value < (counts[index - 1] ?? 0))) throw new Error(`${sample} is not cumulative`);
    if (counts.at(-1) !== count) throw new Error(`the last bucket of ${sample} is not its count`);
  }
}

/**
 * Parses OpenMetrics text into its families by name; a sample's key is its name with its labels. Throws if the text is
 * not valid: families in pieces, wrong suffixes, repeated samples, buckets that do not add up, or no `# EOF` at the end.
 */
export function parseOpenMetrics(text: string): Map<string, Family> {
  if (!text.endsWith("\n# EOF\n")) throw new Error("the text does not end with # EOF");
  const families = new Map<string, Family>();
  let current = "";
  for (const line of text.slice(0, -"# EOF\n".length).split("\n").slice(0, -1)) {
    const [, kind, name = "", value = ""] = metadata.exec(line) ?? [];
    if (kind === "HELP") {
      if (families.has(name)) throw new Error(`${name} is there twice`);
      families.set(name, { type: "unknown", samples: new Map() });
      current = name;
    } else if (kind === "TYPE") {
      const family = families.get(name);
      if (!family || name !== current || !(value in suffixes)) throw new Error(`misplaced: ${line}`);
      family.type = value;
    } else {
      const [, sample = "", labels = "", number = ""] = sampleLine.exec(line) ?? [];
      const family = families.get(current);
      const isKnown = family && suffixes[family.type]?.some((suffix) => sample === current + suffix);
      if (!isKnown) throw new Error(`not a sample of ${current}: ${line}`);
      if (family.samples.has(sample + labels)) throw new Error(`repeated: ${line}`);
      family.samples.set(sample + labels, parseValue(number));
    }
  }
  for (const [name, family] of families) if (family.type === "histogram") checkHistogram(name, family);
  return families;
}

/** Returns the value of a sample, such as `tapedeck_queue_paused{queue="fetch"}`; undefined if it is not there. */
export function sampleOf(families: ReadonlyMap<string, Family>, sample: string): number | undefined {
  for (const { samples } of families.values()) if (samples.has(sample)) return samples.get(sample);
  return undefined;
}
