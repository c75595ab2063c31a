/** The minimum version in `engines` of package.json. */
const neededMajor = 20;
const neededMinor = 19;

/** Exits with a clear message if Node.js is too old, or if it is Bun, whose servers cannot record. Old syntax only. */
export function requireNode() {
  if (process.versions.bun) {
    console.error("Tapedeck runs on Node.js, not on Bun: call it without --bun. It records programs that Bun runs.");
    process.exit(1);
  }
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return;
  console.error(
    `Tapedeck needs Node ${neededMajor}.${neededMinor} or newer; this is ${process.versions.node}. ` +
      "See https://nodejs.org/en/download.",
  );
  process.exit(1);
}
