/** A vendor of the account, in the API's format. */
export type CustomVendor = {
  name: string;
  slug: string;
  category: string;
  status: string;
  llms_txt_url: string;
  last_fetched_at: string | null;
  next_fetch_at: string;
  failure: string | null;
  latest_change: LatestChange | null;
};

export type LatestChange = {
  id: string;
  created_at: string;
  lines_added: number;
  lines_removed: number;
  summary: string | null;
  significance: number | null;
};

export type CustomVendors = { count: number; limit: number; vendors: CustomVendor[] };
export type VendorAddition = { vendor: { name: string; slug: string }; fetch: { at: string | null; note: string } };
