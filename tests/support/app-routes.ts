/** Answers requests as the app's routes do, in this process. */
export type App = (request: Request) => Promise<Response>;

/** Loads the app's routes. Call it after the environment is set: it is read once. */
export async function loadApp(): Promise<App> {
  const [{ groups }, { routes }] = await Promise.all([import("#app/bindings"), import("#lib/server/http/route")]);
  return routes(groups).GET;
}
