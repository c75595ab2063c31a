-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "claimed_at" TIMESTAMPTZ(3);
