import type { ChangeFilters } from "../filter-fields";

/** A digest in the API's format. */
export type Digest = {
  id: string;
  email: string;
  frequency: string;
  status: string;
  filters?: ChangeFilters;
  confirm_by: string | null;
  last_sent_at: string | null;
  disabled_reason: string | null;
};

export type Digests = { _meta: { count: number; limit: number }; digests: Digest[] };

/** The frequencies of the API, and how the page names them. */
export const frequencies = [
  { value: "each", label: "soon after each change" },
  { value: "daily", label: "daily at 07:00 UTC" },
  { value: "weekly", label: "on Mondays at 07:00 UTC" },
];
