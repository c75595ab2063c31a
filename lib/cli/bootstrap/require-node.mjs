/** The minimum version in `engines` of package.json. */
const neededMajor = 20;
const neededMinor = 19;

/** Exits with a clear message if Node.js is too old. Old syntax only. */
export function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return;
  console.error(
    `Tapedeck needs Node ${neededMajor}.${neededMinor} or newer; this is ${process.versions.node}. ` +
      "See https://nodejs.org/en/download.",
  );
  process.exit(1);
}
