-- AlterTable
ALTER TABLE "checkouts" ADD COLUMN     "buyer_id" UUID;

-- CreateIndex
CREATE INDEX "checkouts_buyer_id_idx" ON "checkouts"("buyer_id");

-- AddForeignKey
ALTER TABLE "checkouts" ADD CONSTRAINT "checkouts_buyer_id_fkey" FOREIGN KEY ("buyer_id") REFERENCES "accounts"("id") ON DELETE SET NULL ON UPDATE CASCADE;
