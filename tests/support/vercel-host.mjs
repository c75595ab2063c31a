import { createServer } from "node:http";
import { createRequire } from "node:module";
import path from "node:path";

/**
 * Runs one function of a Vercel build: `node vercel-host.mjs <folder>`. Sends `{port}` over IPC, and ends with its parent.
 * In place of Vercel's own runtime, it calls the handler with what that passes: Node.js's request and response, or a
 * `Request` for the middleware.
 */
const folder = path.resolve(process.argv[2] ?? "");
const require = createRequire(path.join(folder, "package.json"));
const { handler: file, useWebApi } = require("./.vc-config.json");
const handler = require(`./${file}`);

async function answerWithWebApi(request, response) {
  const { url = "/", method, headers } = request;
  const answer = await handler(new Request(`http://${headers.host}${url}`, { method, headers }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(await answer.text());
}

const server = createServer((request, response) => {
  const answer = useWebApi ? answerWithWebApi : handler;
  Promise.resolve(answer(request, response)).catch((error) => {
    console.error(error);
    response.destroy();
  });
});
process.once("disconnect", () => process.exit(0));
server.listen(0, "127.0.0.1", () => process.send?.({ port: server.address().port }));
