/** As `engines` in package.json says. */
const neededMajor = 20;
const neededMinor = 19;

/** Ends the process with a clear line where Node is too old. Old syntax only. */
export function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return;
  console.error(
    `Tapedeck needs Node ${neededMajor}.${neededMinor} or newer; this is ${process.versions.node}. ` +
      "See https://nodejs.org/en/download.",
  );
  process.exit(1);
}
