import { compressText } from "#lib/platform/compress-text";
import { withClient } from "#lib/platform/database/postgres-connection";
import { compareTexts } from "#lib/tracking/diffs/index";

export type SeedSize = { vendorCount: number; snapshotCount: number };

/** A file of typical size, and the same file with one more link. */
function versions(): [before: string, after: string] {
  const lines = Array.from(
    { length: 120 },
    (_, line) => `- [Page ${line}](https://vendor.example/docs/page-${line}.md)`,
  );
  return [
    `${lines.join("\n")}\n`,
    `${lines.toSpliced(60, 0, "- [New](https://vendor.example/docs/new.md)").join("\n")}\n`,
  ];
}

/** SQL of a UUIDv7 for the time `ms`, made unique by the number `n` and by `kind` (three hex digits). */
function idSql(ms: string, kind: string, n: string): string {
  return `(lpad(to_hex(${ms}), 12, '0') || '7${kind}8000' || lpad(to_hex(${n}), 12, '0'))::uuid`;
}

const stepMs = 1_000;
const endMs = Date.UTC(2026, 10, 21);

/**
 * Fills an empty database: each second the next vendor gets a new version with a report, so that all histories have the
 * same length. Five vendors are public. In addition to `vendorCount`, one vendor per hundred was never fetched.
 */
export async function seedHistory(url: string, { vendorCount, snapshotCount }: SeedSize): Promise<void> {
  const [before, after] = versions();
  const content = await compressText(after);
  const diff = await compressText(compareTexts(before, after).text);
  const at = `(${endMs - snapshotCount * stepMs}::bigint + g * ${stepMs}::bigint)`;
  const time = `to_timestamp(${at} / 1000.0)`;
  const vendorOf = (n: string) => idSql(String(endMs - snapshotCount * stepMs), "001", `(${n}) % ${vendorCount}`);
  const fill = `
    -- Millions of rows that are known to fit: the keys need no check of each.
    SET session_replication_role = replica;
    SET synchronous_commit = off;
    INSERT INTO vendors (id, slug, name, domain, category, origin, is_public, llms_txt_url, next_fetch_at)
      SELECT ${idSql(String(endMs - snapshotCount * stepMs), "001", "g")}, 'vendor-' || lpad(g::text, 5, '0'), 'Vendor ' || g,
        'vendor-' || g || '.example', 'database', 'operator', g < 5, 'https://vendor-' || g || '.example/llms.txt', now()
      FROM generate_series(0, ${vendorCount + Math.ceil(vendorCount / 100)} - 1) g;
    INSERT INTO contents (hash, compressed, byte_size)
      SELECT lpad(to_hex(g), 64, '0'), '\\x${Buffer.from(content).toString("hex")}', ${Buffer.byteLength(after)}
      FROM generate_series(0, ${vendorCount} - 1) g;
    INSERT INTO snapshots (id, vendor_id, content_hash, byte_size, line_count, link_count, created_at, fetched_at,
        http_status, response_time_ms, security_score, security_findings)
      SELECT ${idSql(at, "002", "g")}, ${vendorOf("g")}, lpad(to_hex(g % ${vendorCount}), 64, '0'), ${Buffer.byteLength(after)},
        121, 121, ${time}, ${time}, 200, 80, 0, '[]'
      FROM generate_series(0, ${snapshotCount} - 1) g;
    INSERT INTO diffs (id, vendor_id, previous_snapshot_id, current_snapshot_id, lines_added, lines_removed, lines_moved,
        links_added, links_removed, exact, compressed_text, created_at)
      SELECT ${idSql(at, "003", "g")}, ${vendorOf("g")}, ${idSql(`${at} - ${vendorCount * stepMs}`, "002", `g - ${vendorCount}`)},
        ${idSql(at, "002", "g")}, 1, 0, 0, '{https://vendor.example/docs/new.md}', '{}', true,
        '\\x${Buffer.from(diff).toString("hex")}', ${time}
      FROM generate_series(${vendorCount}, ${snapshotCount} - 1) g;
    INSERT INTO reports (id, vendor_id, diff_id, snapshot_id, summary, significance, categories, sections_added,
        sections_removed, sections_modified, key_quotes, byte_size_change_pct, mode, analyser, analyser_version, created_at)
      SELECT ${idSql(at, "004", "g")}, ${vendorOf("g")}, ${idSql(at, "003", "g")}, ${idSql(at, "002", "g")}, 'Adds 1 link: New.',
        -- 40 % of significance 1, 30 % of 2, 20 % of 3, 8 % of 4, 2 % of 5.
        CASE WHEN n < 40 THEN 1 WHEN n < 70 THEN 2 WHEN n < 90 THEN 3 WHEN n < 98 THEN 4 ELSE 5 END,
        ARRAY[CASE WHEN n % 10 = 9 THEN 'pricing-change' WHEN g % 211 = 0 THEN 'security-advisory' ELSE 'content-expansion' END],
        '{}', '{}', '{}', '{}', 1, 'realtime', 'rules', '1', ${time}
      FROM (SELECT g, (g::bigint * 7919) % 100 AS n FROM generate_series(${vendorCount}, ${snapshotCount} - 1) g) numbered;
    UPDATE vendors v SET (snapshot_count, snapshot_bytes) =
      (SELECT count(*), coalesce(sum(byte_size), 0) FROM snapshots WHERE vendor_id = v.id);
    UPDATE vendors v SET latest_snapshot_id = s.id, latest_diff_id = d.id, last_fetched_at = s.fetched_at
      FROM snapshots s JOIN diffs d ON d.current_snapshot_id = s.id
      WHERE s.vendor_id = v.id AND s.created_at >= to_timestamp(${(endMs - vendorCount * stepMs) / 1000});
  `;
  await withClient({ connectionString: url }, async (client) => {
    await client.query(fill);
    await client.query("VACUUM ANALYZE vendors, contents, snapshots, diffs, reports");
  });
}
