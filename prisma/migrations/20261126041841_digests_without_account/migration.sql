-- AlterTable
ALTER TABLE "digests" ADD COLUMN     "address_hash" CHAR(43),
ALTER COLUMN "account_id" DROP NOT NULL;

-- CreateIndex
CREATE INDEX "digests_address_hash_idx" ON "digests"("address_hash");
