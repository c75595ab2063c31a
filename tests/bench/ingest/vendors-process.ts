import { startTestVendors } from "#tests/support/test-vendors";

/** Requests to the vendors' servers since the last counts. */
export type VendorCounts = {
  /** Including robots.txt. */
  requests: number;
  /** Responses with the file, to requests that were unconditional or had an old validator. */
  bodies: number;
};

const lineCount = 100;

/** Returns a file of about 9 kB, the median size of real ones. Consecutive versions differ by one link. */
function textOf(name: string, version: number): string {
  const links = Array.from({ length: lineCount }, (_, line) => {
    const edition = line === version % lineCount ? `?v=${version}` : "";
    return `- [Guide ${line}](https://docs.example.com/${name}/${line}${edition}): how its step number ${line} is done in practice`;
  });
  return `# ${name}\n\n> What it offers to programs.\n\n## Guides\n\n${links.join("\n")}\n`;
}

const testVendors = await startTestVendors({ vendorCount: Number(process.argv[2]) });
let current = 1;
for (const { slug } of testVendors.vendors) {
  testVendors.setVersions(
    slug,
    Array.from({ length: 30 }, (_, index) => textOf(slug, index + 1)),
  );
}

function counts(): VendorCounts {
  const known = `"v${current}"`;
  const bodies = testVendors.requests.filter(
    ({ path, headers }) => path !== "/robots.txt" && headers["if-none-match"] !== known,
  ).length;
  return { requests: testVendors.requests.length, bodies };
}

process.on("message", ({ version }: { version?: number }) => {
  const result = counts();
  if (version !== undefined) {
    current = version;
    for (const { slug } of testVendors.vendors) testVendors.setVersion(slug, version);
  }
  testVendors.clearRequests();
  process.send?.(result);
});
process.send?.(testVendors.vendors);
