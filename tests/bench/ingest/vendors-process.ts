import { startTestVendors } from "#tests/support/test-vendors";

/** What the vendors' servers saw since they were last asked. */
export type VendorCounts = {
  /** robots.txt included. */
  requests: number;
  /** Answers with the file: those to requests that were not conditional, or whose copy was old. */
  bodies: number;
};

const lineCount = 100;

/** A file of about 9 kB, the median of real ones; each version differs from the one before by one link. */
function textOf(name: string, version: number): string {
  const links = Array.from({ length: lineCount }, (_, line) => {
    const edition = line === version % lineCount ? `?v=${version}` : "";
    return `- [Guide ${line}](https://docs.example.com/${name}/${line}${edition}): how its step number ${line} is done in practice`;
  });
  return `# ${name}\n\n> What it offers to programs.\n\n## Guides\n\n${links.join("\n")}\n`;
}

const world = await startTestVendors({ vendorCount: Number(process.argv[2]) });
let current = 1;
for (const { slug } of world.vendors) {
  world.setVersions(
    slug,
    Array.from({ length: 30 }, (_, index) => textOf(slug, index + 1)),
  );
}

function counts(): VendorCounts {
  const known = `"v${current}"`;
  const bodies = world.requests.filter(
    ({ path, headers }) => path !== "/robots.txt" && headers["if-none-match"] !== known,
  ).length;
  return { requests: world.requests.length, bodies };
}

process.on("message", ({ version }: { version?: number }) => {
  const answer = counts();
  if (version !== undefined) {
    current = version;
    for (const { slug } of world.vendors) world.setVersion(slug, version);
  }
  world.clearRequests();
  process.send?.(answer);
});
process.send?.(world.vendors);
