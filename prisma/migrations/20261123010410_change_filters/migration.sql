-- CreateIndex
CREATE INDEX "reports_significance_diff_id_idx" ON "reports"("significance", "diff_id");

-- CreateIndex
CREATE INDEX "reports_categories_idx" ON "reports" USING GIN ("categories");
