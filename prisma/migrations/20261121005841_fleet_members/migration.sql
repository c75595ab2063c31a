-- CreateEnum
CREATE TYPE "fleet_member_status" AS ENUM ('unchecked', 'live', 'down');

-- CreateTable
CREATE TABLE "fleet_members" (
    "slug" TEXT NOT NULL,
    "status" "fleet_member_status" NOT NULL DEFAULT 'unchecked',
    "checked_at" TIMESTAMPTZ(3),
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "fleet_members_pkey" PRIMARY KEY ("slug")
);
