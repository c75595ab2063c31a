/**
 * Redirects requests for Vercel Blob to its double. In a test: `redirectBlob(double.origin)`. For a spawned server:
 * NODE_OPTIONS=--import=<this file's URL> and BLOB_DOUBLE_ORIGIN=<the double's origin>. The API's URL is a setting of
 * @vercel/blob. Its content host is fixed, so requests for that host are redirected by undici's global dispatcher,
 * which all copies of undici in a process share.
 */
import { Agent } from "undici";

const shared = Symbol.for("undici.globalDispatcher.1");
const contentHost = /^https:\/\/([\w-]+\.(?:public|private)\.blob\.vercel-storage\.com)$/;

export function redirectBlob(origin) {
  const previous = globalThis[shared];
  const previousApi = process.env.VERCEL_BLOB_API_URL;
  const agent = new Agent();
  globalThis[shared] = {
    dispatch(options, handler) {
      const host = contentHost.exec(String(options.origin))?.[1];
      if (host === undefined) return (previous ?? agent).dispatch(options, handler);
      return agent.dispatch({ ...options, origin, path: `/content/${host}${options.path}` }, handler);
    },
  };
  process.env.VERCEL_BLOB_API_URL = `${origin}/api`;
  return async () => {
    globalThis[shared] = previous;
    if (previousApi === undefined) delete process.env.VERCEL_BLOB_API_URL;
    else process.env.VERCEL_BLOB_API_URL = previousApi;
    await agent.destroy();
  };
}

if (process.env.BLOB_DOUBLE_ORIGIN) redirectBlob(process.env.BLOB_DOUBLE_ORIGIN);
