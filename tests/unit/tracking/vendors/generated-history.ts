import type { Database } from "#lib/platform/database/index";

export type HistorySize = { vendorCount: number; snapshotCount: number };

/**
 * Fills an empty database with vendors `vendor-0` and so on, and with snapshots a minute apart, rotating between the
 * vendors. Each snapshot except a vendor's first has a diff.
 */
export async function generateHistory(client: Database, { vendorCount, snapshotCount }: HistorySize): Promise<void> {
  const id = (kind: number, number: string) =>
    `('019aa5c2-' || lpad(to_hex((${number}) / 65536), 4, '0') || '-7${kind}00-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
  const hash = (number: string) => `lpad(to_hex(${number}), 64, '0')`;
  const contentCount = 5_000;
  const statements = [
    `INSERT INTO contents (hash, compressed, byte_size)
      SELECT ${hash("c")}, '\\x3b', 9000 FROM generate_series(0, ${contentCount - 1}) c`,
    `INSERT INTO vendors (id, slug, name, domain, category, origin, llms_txt_url, updated_at, next_fetch_at, is_public)
      SELECT ${id(1, "v")}, 'vendor-' || v, 'Vendor ' || v, 'v' || v || '.example', 'cloud', 'operator',
        'https://v.example/llms.txt', now(), now(), v < 5 FROM generate_series(0, ${vendorCount - 1}) v`,
    `INSERT INTO snapshots (id, vendor_id, content_hash, byte_size, line_count, link_count, created_at, fetched_at,
        http_status, response_time_ms, security_score, security_findings)
      SELECT ${id(2, "s")}, ${id(1, `s % ${vendorCount}`)}, ${hash(`s % ${contentCount}`)}, 9000, 150, 60,
        now() - (${snapshotCount} - s) * interval '1 minute', now(), 200, 80, 0, '[]'
      FROM generate_series(0, ${snapshotCount - 1}) s`,
    `INSERT INTO diffs (id, vendor_id, previous_snapshot_id, current_snapshot_id, lines_added, lines_removed, lines_moved,
        links_added, links_removed, exact, compressed_text, created_at)
      SELECT ${id(3, "s")}, ${id(1, `s % ${vendorCount}`)}, ${id(2, `s - ${vendorCount}`)}, ${id(2, "s")}, 1, 1, 0,
        '{https://v.example/a}', '{}', true, '\\x3b', now() - (${snapshotCount} - s) * interval '1 minute'
      FROM generate_series(${vendorCount}, ${snapshotCount - 1}) s`,
    `UPDATE vendors SET latest_snapshot_id = (SELECT max(id::text)::uuid FROM snapshots WHERE vendor_id = vendors.id),
      latest_diff_id = (SELECT max(id::text)::uuid FROM diffs WHERE vendor_id = vendors.id)`,
    "VACUUM ANALYZE",
  ];
  for (const statement of statements) await client.$executeRawUnsafe(statement);
}
