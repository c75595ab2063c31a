import { randomUUID } from "node:crypto";
import { withAppDatabase } from "./keys";
import { addVendor, addVersion, type VendorRow } from "./vendor-rows";

const slugs: string[] = [];

/** Adds a vendor with these versions of its file to the started app's database, which all tests share. */
export async function addAppVendor(row: VendorRow = {}, versions: readonly string[] = []) {
  const { slug = `t-${randomUUID()}` } = row;
  slugs.push(slug);
  return withAppDatabase(async (database) => {
    const vendor = await addVendor(database, { ...row, slug });
    const stored: Awaited<ReturnType<typeof addVersion>>[] = [];
    const now = Date.now();
    for (const [index, text] of versions.entries()) {
      stored.push(await addVersion(database, slug, text, new Date(now - (versions.length - index) * 1_000)));
    }
    return { ...vendor, stored };
  });
}

/** Removes the vendors that `addAppVendor` added in this test file. */
export async function removeAppVendors(): Promise<void> {
  await withAppDatabase((database) => database.vendor.deleteMany({ where: { slug: { in: slugs } } }));
}
