-- DropIndex
DROP INDEX "reports_snapshot_id_idx";

-- CreateIndex
CREATE UNIQUE INDEX "reports_snapshot_id_key" ON "reports"("snapshot_id");
