import { createTestDatabase } from "./database";

/** Keeps the test server running for the whole run: otherwise the last database that is dropped stops it. */
export default async function holdDatabase(): Promise<() => Promise<void>> {
  // Vite sets BASE_URL to "/" in this process, too; see vitest.config.ts.
  process.env.BASE_URL = "";
  const { drop } = await createTestDatabase({ isEmpty: true });
  return drop;
}
