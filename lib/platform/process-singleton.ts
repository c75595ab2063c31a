/**
 * One value per process, also where the bundler made several copies of a module:
 * Next compiles routes and `instrumentation.ts` apart, and reloads modules while developing.
 */
export function processSingleton<T>(name: string, create: () => T): T {
  const registry = globalThis as { [key: symbol]: unknown };
  const key = Symbol.for(`tapedeck.${name}`);
  registry[key] ??= create();
  return registry[key] as T;
}
