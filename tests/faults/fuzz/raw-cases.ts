import { type Choices, hostileStrings } from "./hostile-values";

/** Bytes for a connection. */
export type RawCase = {
  name: string;
  /** One character per byte. */
  bytes: string;
  /** `incomplete`: nothing can be answered before a time-out, so the client closes the connection. */
  expects: "response" | "incomplete";
  /** Maximum number of responses, where more would show that a hidden request was read. */
  maxResponses?: number;
};

const end = "\r\nHost: a\r\nConnection: close\r\n\r\n";
const hidden = "GET /api/v1/fleet HTTP/1.1\r\nHost: a\r\n\r\n";

function post(headers: string[], body: string): string {
  return ["POST /v1/messages HTTP/1.1", "Host: a", ...headers, "Connection: close", "", body].join("\r\n");
}

/** Requests whose length can be read in two ways. */
const smuggling = [
  post(["Content-Length: 4", "Transfer-Encoding: chunked"], `0\r\n\r\n${hidden}`),
  post(["Content-Length: 0", "Content-Length: 40"], hidden),
  post(["Content-Length: +0"], hidden),
  post(["Content-Length: 0x0"], hidden),
  post(["Content-Length: -1"], hidden),
  post(["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], `0\r\n\r\n${hidden}`),
  post(["Transfer-Encoding: xchunked"], `0\r\n\r\n${hidden}`),
  post(["Transfer-Encoding : chunked"], `0\r\n\r\n${hidden}`),
  post(["Transfer-Encoding: chunked"], `0;${"x".repeat(20_000)}\r\n\r\n${hidden}`),
  post(["Transfer-Encoding: chunked"], `fffffffffffffffff\r\n${hidden}`),
  post(["X: a", " Content-Length: 40"], hidden),
  post(["X: a\nContent-Length: 40"], hidden),
];

const methods = [..."GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND LOCK get G\0T".split(" "), ""];
const versions = [..."HTTP/1.1 HTTP/1.0 HTTP/0.9 HTTP/2.0 HTTP/1.99 http/1.1".split(" "), ""];
const paths = [
  ..."/ * /api/v1/health /docs /v1/messages /api/mcp /icon.svg /_next/static/x /og/x.png /embed/x/y".split(" "),
  ..."//evil.example/x /\\evil.example /..%2f..%2fetc/passwd /%00 /%ff /% /api/%2e%2e/x /docs/%0d%0aX:1".split(" "),
  ..."http://a/api/v1/health http://a https://a:99999/ ftp://a/ http://[::1]:x/ http:///x HTTP://a/docs".split(" "),
  ...["?x", "x", "", "/a b", "/\x80\xff", `/${"a/".repeat(3_000)}`, `/docs?${"a=b&".repeat(2_000)}`],
];
const headerLines = [
  ...["Host: a", "Host: a, b", "Host: ", "Host: a b", "Host: [::1", "X-Forwarded-Host: evil.example"],
  ...["X-Forwarded-For: ,", "X-Forwarded-Proto: javascript", "RSC: 1", "Next-Action: x", "x-nextjs-data: 1"],
  ...["Next-Router-State-Tree: %", "x-middleware-subrequest: proxy", "x-matched-path: /etc", "Upgrade: websocket"],
  ...["Upgrade: h2c", "Expect: 100-continue", "Expect: x", "Accept-Encoding: \xff", "Range: bytes=9-1"],
  ...["If-Modified-Since: x", "Cookie: =", "X", ": x", "X Y: z", "X:\0", "\tX: y", "X: \x80"],
];

function requestText(choices: Choices): string {
  const lines = [`${choices.pick(methods)} ${choices.pick(paths)} ${choices.pick(versions)}`, "Connection: close"];
  for (let count = choices.below(4); count > 0; count -= 1) lines.push(choices.pick(headerLines));
  if (choices.chance(0.8)) lines.push("Host: a");
  return [...lines, "", ""].join("\r\n");
}

/** Changes some bytes of a text. */
function damage(text: string, choices: Choices): string {
  const bytes = Buffer.from(text, "latin1");
  for (let count = 1 + choices.below(4); count > 0; count -= 1) bytes[choices.below(bytes.length)] = choices.below(256);
  return bytes.toString("latin1");
}

/** Returns random bytes for a connection to an HTTP server. */
export function rawCase(choices: Choices): RawCase {
  const kind = choices.below(10);
  if (kind < 4) return { name: "request line", bytes: requestText(choices), expects: "response" };
  if (kind < 6) {
    return { name: "damaged request", bytes: `${damage(requestText(choices), choices)}${end}`, expects: "response" };
  }
  if (kind === 6) {
    const bytes = choices.pick(smuggling);
    return { name: "smuggling", bytes, expects: "response", maxResponses: 1 };
  }
  if (kind === 7) {
    const count = choices.pick([100, 1_500, 2_500]);
    const flood = Array.from({ length: count }, (_, index) => `X${index}: y`).join("\r\n");
    return { name: "header flood", bytes: `GET /api/v1/health HTTP/1.1\r\n${flood}${end}`, expects: "response" };
  }
  if (kind === 8) {
    const one = `GET /api/v1/replay HTTP/1.1\r\nHost: a\r\n\r\n`;
    return {
      name: "pipelining",
      bytes: `${one.repeat(1 + choices.below(30))}GET / HTTP/1.1${end}`,
      expects: "response",
    };
  }
  const bytes = Buffer.from(choices.pick(hostileStrings), "utf8").toString("latin1");
  return { name: "incomplete request", bytes: `POST /v1/messages HTTP/1.1\r\nX: ${bytes}`, expects: "incomplete" };
}
