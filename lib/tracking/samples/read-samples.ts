import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { type VendorInput, vendorInputSchema } from "#lib/tracking/vendors/index";

/** A change of a sample's site, in days before the time of the seeding. */
const eventSchema = z.union([
  z.strictObject({ days_ago: z.number().min(0), file: z.string() }),
  z.strictObject({ days_ago: z.number().min(0), status: z.int().min(400).max(599) }),
]);

const sampleSchema = z.strictObject({
  name: z.string(),
  category: vendorInputSchema.shape.category,
  events: z.array(eventSchema).min(2),
});

/** A sample site's response, from a point in time on. */
export type SampleEvent = { daysAgo: number } & ({ text: string } | { status: number });

/** A fictional vendor with the events of its site, the oldest first. */
export type Sample = { vendor: VendorInput; events: SampleEvent[] };

/** Reserved for examples (RFC 2606). */
const topLevelDomain = ".example";

function readSample(folder: string, slug: string): Sample {
  const { name, category, events } = sampleSchema.parse(
    parse(readFileSync(path.join(folder, slug, "sample.yaml"), "utf8")),
  );
  const domain = `${slug}${topLevelDomain}`;
  const vendor = vendorInputSchema.parse({
    name: `${name} (sample)`,
    slug,
    domain,
    category,
    public: true,
    llms_txt_url: `https://${domain}/llms.txt`,
  });
  const read = (event: z.infer<typeof eventSchema>): SampleEvent =>
    "file" in event
      ? { daysAgo: event.days_ago, text: readFileSync(path.join(folder, slug, event.file), "utf8") }
      : { daysAgo: event.days_ago, status: event.status };
  return { vendor, events: events.map(read).sort((a, b) => b.daysAgo - a.daysAgo) };
}

/** Returns the samples of a folder, which has a subfolder for each, named by its slug. */
export function readSamples(folder: string): Sample[] {
  const slugs = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return slugs.map(({ name }) => readSample(folder, name)).sort((a, b) => a.vendor.slug.localeCompare(b.vendor.slug));
}
