import type { ChangeFilters } from "../filter-fields";

/** A webhook in the API's format. */
export type Webhook = {
  id: string;
  url: string;
  active: boolean;
  filters?: ChangeFilters;
  created_at: string;
  failing_since?: string | null;
  deactivated_at?: string | null;
  deactivated_reason?: string | null;
};

type Attempt = {
  id: string;
  created_at: string;
  http_status: number | null;
  error: string | null;
  response_excerpt: string | null;
  duration_ms: number;
};

/** A delivery in the API's format. */
export type Delivery = {
  id: string;
  test: boolean;
  /** The vendor that changed; null for a test. */
  vendor: { name: string; slug: string } | null;
  status: string;
  in_flight: boolean;
  attempt_count: number;
  next_attempt_at: string | null;
  created_at: string;
  attempts: Attempt[];
};

export type DeliveryPage = { _meta: { next_cursor: string | null }; deliveries: Delivery[] };

/** Choices of the least significance: events are only sent from 4 on. */
export const significances = [
  ["", "4 and 5"],
  ["5", "only 5"],
] as const;
