-- DropForeignKey
ALTER TABLE "mcp_answers" DROP CONSTRAINT "mcp_answers_session_id_fkey";

-- DropTable
DROP TABLE "mcp_answers";
