-- AlterTable
ALTER TABLE "mcp_sessions" DROP COLUMN "client";
