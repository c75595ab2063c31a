import { inject } from "vitest";

/** Both ways in which the app is served; a guarantee about replay is tested on each. */
export const adapters: [string, () => string][] = [
  ["the Node server", () => inject("baseUrl")],
  ["the route handler", () => inject("routeUrl")],
];
