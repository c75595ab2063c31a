#!/usr/bin/env node
/** `npm run bench -- <name> [options]`: runs one of the benchmarks. They are TypeScript, hence tsx. */
import { register } from "tsx/esm/api";

const benches = {
  replay: () => import("./replay/bench.ts"),
  diff: () => import("./diff/bench.ts"),
  security: () => import("./security/bench.ts"),
  feed: () => import("./feed/bench.ts"),
  webhooks: () => import("./webhooks/bench.ts"),
  ingest: () => import("./ingest/bench.ts"),
  scale: () => import("./scale/bench.ts"),
  search: () => import("./search/bench.ts"),
  site: () => import("./site/bench.ts"),
  mcp: () => import("./mcp/bench.ts"),
  match: () => import("./match/bench.ts"),
  recording: () => import("./recording/bench.ts"),
  soak: () => import("./soak/bench.ts"),
};

const [name, ...rest] = process.argv.slice(2);
if (name === undefined || name === "--help" || !(name in benches)) {
  const text = `Usage: npm run bench -- <${Object.keys(benches).join("|")}> [options]\n\nFor a benchmark's options, add --help after its name.`;
  (name === "--help" ? console.log : console.error)(text);
  process.exit(name === "--help" ? 0 : 2);
}

register();
const { main } = await benches[name]();
try {
  process.exit(await main(rest));
} catch (error) {
  console.error(error instanceof Error ? error.stack : error);
  process.exit(1);
}
