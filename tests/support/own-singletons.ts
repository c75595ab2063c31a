import type { Database } from "#lib/platform/database/index";
import { existingSingleton } from "#lib/platform/process-singleton";

const registry = globalThis as { [key: symbol]: unknown };

function takeAll(): (readonly [symbol, unknown])[] {
  const keys = Object.getOwnPropertySymbols(registry).filter(({ description }) => description?.startsWith("tapedeck."));
  return keys.map((key) => {
    const value = registry[key];
    delete registry[key];
    return [key, value] as const;
  });
}

/** Makes `processSingleton` create its values anew, until the returned function is called, which closes their database. */
export function takeSingletons(): () => Promise<void> {
  const earlier = takeAll();
  return async () => {
    await existingSingleton<Database>("database")?.$disconnect();
    takeAll();
    for (const [key, value] of earlier) registry[key] = value;
  };
}
