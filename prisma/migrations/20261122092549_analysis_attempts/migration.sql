-- AlterTable
ALTER TABLE "snapshots" ADD COLUMN     "analysis_attempts" INTEGER NOT NULL DEFAULT 0;
