/**
 * Returns one value per process, even if the bundler created several copies of a module: Next compiles routes and
 * `instrumentation.ts` separately, and reloads modules in development.
 */
export function processSingleton<T>(name: string, create: () => T): T {
  const registry = globalThis as { [key: symbol]: unknown };
  const key = Symbol.for(`tapedeck.${name}`);
  registry[key] ??= create();
  return registry[key] as T;
}

/** Returns the value of this process; undefined before it was created. */
export function existingSingleton<T>(name: string): T | undefined {
  return (globalThis as { [key: symbol]: unknown })[Symbol.for(`tapedeck.${name}`)] as T | undefined;
}
