/** Dots of other scripts, by which hosts can be written too. */
const otherDots = /[\u3002\uff0e\uff61]/g;
const unseen = /[\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu;
const disguisedDot = /\s*(?:\[\s*(?:\.|dot)\s*\]|\(\s*(?:\.|dot)\s*\)|\{\s*(?:\.|dot)\s*\})\s*/giu;

const label = "[\\p{L}\\p{N}](?:[\\p{L}\\p{N}_-]{0,61}[\\p{L}\\p{N}])?";
const hostPattern = new RegExp(`(?:${label}\\.){1,10}(?:xn--[a-z0-9-]{2,59}|\\p{L}{2,24})(?![\\p{L}\\p{N}])`, "giu");
const schemePattern = /\b[a-z][a-z0-9+.-]{1,20}:\/\/([^\s<>"')\]/?#]+)/giu;

/** Endings that hosts have and names in code hardly do; those of two letters count all. */
const hostEndings = new Set(
  (
    "com net org info biz dev app xyz online site top shop cloud tech store live link click page pro club space " +
    "website fun icu vip work world life today news blog email support help zone host agency company digital " +
    "finance money bank crypto download stream chat social name mobi asia wiki one run sh systems software tools"
  ).split(" "),
);
/** Endings of files, of two letters, that no country has. */
const fileEndings = new Set(["js", "ts", "go", "jl", "kt", "cs", "rb", "ex"]);

/** A text for looking addresses up in it: small letters, one kind of dot, nothing unseen. */
export function addressText(text: string): string {
  return text.replace(unseen, "").replace(otherDots, "./").toLowerCase();
}

/** Hosts, files and other dotted names that a text names, in small letters, also those that are disguised. */
export function dottedNamesOf(text: string): string[] {
  const plain = addressText(text.replace(unseen, "").normalize("NFKC").replace(disguisedDot, "./"));
  const hosts = [...plain.matchAll(schemePattern)].map(([, host]) => host!.replace(/^.*@|:\d*$/g, ""));
  return [...new Set([...hosts, ...(plain.match(hostPattern) ?? [])])];
}

/** Whether a dotted name reads as a host rather than as a file or as code. */
export function looksLikeHost(name: string): boolean {
  const ending = name.slice(name.lastIndexOf("./") + 1);
  if (!/^[a-z]+$/.test(ending)) return true;
  return hostEndings.has(ending) || (ending.length === 2 && !fileEndings.has(ending));
}
