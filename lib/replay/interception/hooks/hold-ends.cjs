"use strict";
/**
 * In Node.js 20 and 22, a fetch whose signal aborts after the end of the answer has come hangs. A played answer has come whole
 * before its first event is read, so its end is held back until the reader asks for it: not that of a compressed answer,
 * which Node.js itself reads to the end.
 */
const { channel } = require("node:diagnostics_channel");

// Tests replace it.
const { nextTick } = process;
const installed = Symbol.for("tapedeck.ends");

function holdEnd(handler) {
  const { onHeaders, onComplete } = handler;
  handler.onHeaders = function (...args) {
    handler.onHeaders = onHeaders;
    const result = onHeaders.apply(this, args);
    const { body } = this;
    if (typeof body?.read !== "function") return result;
    let isAsking = false;
    let end;
    const { read } = body;
    body.read = (size) => {
      const chunk = read.call(body, size);
      // Node.js itself reads 0 bytes, to fill the buffer.
      if (size !== undefined) return chunk;
      isAsking = chunk === null;
      if (isAsking && end) nextTick(end);
      return chunk;
    };
    this.onComplete = (...trailers) => {
      end = () => {
        if (!end) return;
        end = undefined;
        onComplete.apply(this, trailers);
      };
      if (isAsking && body.readableLength === 0) end();
    };
    return result;
  };
}

function onResponse({ request, response: { headers } }) {
  const name = Object.getOwnPropertySymbols(request).find(({ description }) => description === "handler");
  const handler = name && request[name];
  // Only that of fetch has these methods itself, and the body of the answer.
  const isFetch = handler && Object.hasOwn(handler, "onHeaders") && Object.hasOwn(handler, "onComplete");
  if (isFetch && headers.some((text) => String(text).toLowerCase() === "x-tapedeck")) holdEnd(handler);
}

// Unlike the globals, it is one for all sandboxes of a process, such as Jest's.
const responses = channel("undici:request:headers");
if (Number.parseInt(process.versions.undici, 10) < 7 && !responses[installed]) {
  responses[installed] = true;
  responses.subscribe(onResponse);
}
