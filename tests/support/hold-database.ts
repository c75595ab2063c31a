import { holdServer } from "./database";

/** Keeps the test server, once a test has started it, for the whole run. */
export default function holdDatabase(): Promise<() => Promise<void>> {
  // Vite sets BASE_URL to "/" in this process too; see vitest.config.ts.
  process.env.BASE_URL = "";
  return holdServer();
}
