/** Asks a mocked host and a model with `msw` or `nock`, as the first argument says; prints each answer. */
import http from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";

const [, , library] = process.argv;
const mocked = { mocked: true };
const origins = ["http://mocked.example.com", "https://mocked.example.com"];
if (library === "nock") {
  const { default: nock } = await import("nock");
  for (const origin of origins) nock(origin).get("/").times(2).reply(200, mocked);
} else {
  const [{ http: handle, HttpResponse }, { setupServer }] = [await import("msw"), await import("msw/node")];
  const handlers = origins.map((origin) => handle.get(`${origin}/`, () => HttpResponse.json(mocked)));
  setupServer(...handlers).listen({ onUnhandledRequest: "bypass" });
}

const request = (module, url, body) =>
  new Promise((resolve, reject) => {
    const sent = module.request(url, { method: body ? "POST" : "GET" }, (response) => resolve(text(response)));
    sent.on("error", reject).end(body);
  });
const viaFetch = async (url, body) => (await fetch(url, { method: body ? "POST" : "GET", body })).text();
const model = (content) => JSON.stringify({ model: "m", messages: [{ role: "user", content }] });
const place = "://api.openai.com/v1/chat/completions";

for (const origin of origins) console.log("fetch", origin, await viaFetch(`${origin}/`));
console.log("http", await request(http, "http://mocked.example.com/"));
console.log("https", await request(https, "https://mocked.example.com/"));
console.log("model", await viaFetch(`https${place}`, model("fetch")));
console.log("model", await viaFetch(`https${place}`, model("fetch again")));
console.log("model", await request(https, `https${place}`, model("https")));
console.log("model", await request(http, `http${place}`, model("http")));
process.exit();
