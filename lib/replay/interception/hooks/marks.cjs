"use strict";
/**
 * Carries the mark of a test from the requests that a server of this process gets to those that it sends while it answers
 * them: to the proxy, which knows the test by it, and to other servers on this machine. The server itself does not see it.
 */
const http = require("node:http");
const https = require("node:https");
const net = require("node:net");
const { AsyncLocalStorage } = require("node:async_hooks");
const { subscribe } = require("node:diagnostics_channel");

const header = "x-tapedeck-process";
/** Pages send it as a cookie, which causes no preflights and reaches no other machine. */
const cookie = /(?:^|; ?)tapedeck-mark=([^;]*)/;
const events = new Set(["request", "upgrade", "checkContinue", "checkExpectation"]);
const marks = new AsyncLocalStorage();
/** That of the test which runs in this process. */
let own;
const markOf = () => marks.getStore() ?? own;

/** Takes the mark off a request, and returns it. Servers of other protocols than HTTP have events of these names too. */
function takeMark(request) {
  const { headers, rawHeaders } = request ?? {};
  if (!headers || !Array.isArray(rawHeaders)) return undefined;
  const mark = headers[header] ?? cookie.exec(headers.cookie ?? "")?.[1];
  if (mark === undefined) return undefined;
  const isLeft = (name, value) => name !== header && (name !== "cookie" || value.replace(cookie, "") !== "");
  const without = (name, value) => (name === "cookie" ? value.replace(cookie, "").replace(/^; ?/, "") : value);
  // Node.js fills it at the first use, by the number of raw headers that came.
  const { headersDistinct = {} } = request;
  for (let index = rawHeaders.length - 2; index >= 0; index -= 2) {
    const [name, value] = [rawHeaders[index].toLowerCase(), rawHeaders[index + 1]];
    if (isLeft(name, value)) rawHeaders[index + 1] = without(name, value);
    else rawHeaders.splice(index, 2);
  }
  for (const name of [header, "cookie"]) {
    if (headers[name] === undefined) continue;
    if (isLeft(name, headers[name])) headers[name] = without(name, headers[name]);
    else delete headers[name];
    const distinct = headersDistinct[name]?.filter((value) => isLeft(name, value));
    if (distinct?.length) headersDistinct[name] = distinct.map((value) => without(name, value));
    else delete headersDistinct[name];
  }
  return mark;
}

/** Gives the listeners of a request, a response or a connection the mark too: their events come from outside of the handler. */
function bind(emitter, mark) {
  const { emit } = emitter;
  emitter.emit = function (...args) {
    return marks.run(mark, () => emit.apply(this, args));
  };
}

/** `mayCarry(host)`: whether requests go to the proxy or to a server on this machine. */
exports.carryMarks = (mayCarry) => {
  subscribe("tapedeck:mark", (mark) => {
    own = mark;
  });

  const { emit } = net.Server.prototype;
  net.Server.prototype.emit = function (event, ...args) {
    const mark = events.has(event) ? takeMark(args[0]) : undefined;
    if (mark === undefined) return emit.call(this, event, ...args);
    for (const each of args.slice(0, 2)) bind(each, mark);
    return marks.run(mark, () => emit.call(this, event, ...args));
  };

  // It is one for all copies of undici, and that of fetch.
  subscribe("undici:request:create", ({ request }) => {
    const mark = markOf();
    // A tunnel is for the requests of several tests, and a proxy that the program brings is not that of the run.
    if (mark === undefined || !request.path.startsWith("/")) return;
    if (mayCarry(new URL(request.origin).hostname)) request.addHeader(header, mark);
  });

  for (const module of [http, https]) {
    const { request } = module;
    module.request = function (...args) {
      const sent = request.apply(this, args);
      const mark = markOf();
      const isOfTest = mark !== undefined && sent.method !== "CONNECT" && !sent.headersSent;
      if (isOfTest && mayCarry(sent.host)) sent.setHeader(header, mark);
      return sent;
    };
    module.get = (...args) => {
      const sent = module.request(...args);
      sent.end();
      return sent;
    };
  }
};
