-- CreateIndex
CREATE INDEX "vendors_latest_diff_id_latest_snapshot_id_slug_idx" ON "vendors"("latest_diff_id" DESC NULLS LAST, "latest_snapshot_id" DESC NULLS LAST, "slug");
