-- DropIndex
DROP INDEX "vendors_claimed_run_id_idx";

-- AlterTable
ALTER TABLE "vendors" DROP COLUMN "claimed_run_id",
ADD COLUMN     "fetch_interval_s" INTEGER;

-- CreateTable: unlogged, since it is worthless after a crash and written for every request
CREATE UNLOGGED TABLE "host_slots" (
    "host" TEXT NOT NULL,
    "next_start_at" TIMESTAMPTZ(3) NOT NULL,
    "first_by" UUID,
    "first_until" TIMESTAMPTZ(3) NOT NULL,
    "second_by" UUID,
    "second_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "host_slots_pkey" PRIMARY KEY ("host")
);

-- CreateTable
CREATE TABLE "paused_queues" (
    "name" TEXT NOT NULL,
    "paused_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "paused_queues_pkey" PRIMARY KEY ("name")
);
