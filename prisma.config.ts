import { defineConfig } from "prisma/config";
import { config } from "./lib/platform/config";

/** For Prisma's own command line: `prisma generate`, and `prisma migrate deploy` in production. */
export default defineConfig({
  schema: "prisma/schema.prisma",
  migrations: { path: "prisma/migrations" },
  datasource: { url: config().DATABASE_URL ?? "" },
});
