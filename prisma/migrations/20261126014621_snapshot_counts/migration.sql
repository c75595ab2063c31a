-- AlterTable
ALTER TABLE "vendors" ADD COLUMN     "snapshot_bytes" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "snapshot_count" INTEGER NOT NULL DEFAULT 0;

UPDATE "vendors" v SET "snapshot_count" = s.count, "snapshot_bytes" = s.bytes
FROM (SELECT "vendor_id", count(*) AS count, sum("byte_size") AS bytes FROM "snapshots" GROUP BY "vendor_id") s
WHERE s."vendor_id" = v."id";

CREATE FUNCTION count_snapshots() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE vendors v SET snapshot_count = v.snapshot_count + c.count * TG_ARGV[0]::int,
    snapshot_bytes = v.snapshot_bytes + c.bytes * TG_ARGV[0]::int
  FROM (SELECT vendor_id, count(*) AS count, sum(byte_size) AS bytes FROM changed GROUP BY vendor_id) c
  WHERE v.id = c.vendor_id;
  RETURN NULL;
END $$;

CREATE TRIGGER snapshots_inserted AFTER INSERT ON "snapshots" REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION count_snapshots('1');
CREATE TRIGGER snapshots_deleted AFTER DELETE ON "snapshots" REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION count_snapshots('-1');
