import { inject } from "vitest";

/** Both ways of serving the app. Guarantees about replay are tested on each. */
export const adapters: [string, () => string][] = [
  ["the Node server", () => inject("baseUrl")],
  ["the route handler", () => inject("routeUrl")],
];
