export type Family = { type: string; samples: Map<string, number> };

const metadata = /^# (HELP|TYPE) (\S+) (.+)$/;
const sampleLine = /^([a-zA-Z_:][\w:]*(?:\{.*\})?) (\S+)$/;

/**
 * Parses OpenMetrics text into its families by name; a sample's key is its name with its labels. Throws if a family or a
 * sample is there twice, if a sample is not of its family, or without `# EOF` at the end.
 */
export function parseOpenMetrics(text: string): Map<string, Family> {
  if (!text.endsWith("\n# EOF\n")) throw new Error("the text does not end with # EOF");
  const families = new Map<string, Family>();
  let name = "";
  for (const line of text.slice(0, -"\n# EOF\n".length).split("\n")) {
    const [, kind, found = "", value = ""] = metadata.exec(line) ?? [];
    if (kind === "HELP") {
      if (families.has(found)) throw new Error(`${found} is there twice`);
      families.set(found, { type: "unknown", samples: new Map() });
      name = found;
      continue;
    }
    const family = families.get(name);
    const [, sample = "", number] = sampleLine.exec(line) ?? [];
    if (kind === "TYPE" && found === name && family) family.type = value;
    else if (family && sample.startsWith(name) && !family.samples.has(sample)) {
      family.samples.set(sample, Number(number?.replace("+Inf", "Infinity")));
    } else throw new Error(`not a new sample of ${name}: ${line}`);
  }
  return families;
}

/** Returns the value of a sample, such as `tapedeck_queue_paused{queue="fetch"}`; undefined if it is not there. */
export function sampleOf(families: ReadonlyMap<string, Family>, sample: string): number | undefined {
  for (const { samples } of families.values()) if (samples.has(sample)) return samples.get(sample);
  return undefined;
}
