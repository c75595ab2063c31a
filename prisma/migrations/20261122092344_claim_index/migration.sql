-- CreateIndex
CREATE INDEX "webhook_deliveries_status_webhook_id_next_attempt_at_id_idx" ON "webhook_deliveries"("status", "webhook_id", "next_attempt_at", "id");
