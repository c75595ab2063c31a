import { deflateRawSync, gzipSync } from "node:zlib";
import type { VendorAnswer } from "./vendor-answers";
import * as answers from "./vendor-answers";

/** A misbehaving vendor, and the failure that a fetch should report. */
export type Hazard = { name: string; failure: string; answer?: VendorAnswer; robots?: VendorAnswer };

const { bytes, status } = answers;
const allowAll = bytes("User-agent: *\nAllow: /\n");
const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(500)]);

/**
 * Returns one hazard of each kind. Timeouts need a fetch with short timeouts. Each call creates new ones, because some
 * count requests. `privateTarget` is the target of the redirect to a private address: a loopback address that the guard
 * does not allow.
 */
export function createHazards(privateTarget = "http://127.0.0.1:9/llms.txt"): Hazard[] {
  return [
    { name: "gone for now", failure: "http_404", answer: status(404) },
    { name: "gone for good", failure: "http_410", answer: status(410) },
    { name: "forbidden", failure: "http_4xx", answer: status(403) },
    { name: "too many requests", failure: "http_429", answer: status(429, { "retry-after": "3600" }) },
    { name: "broken", failure: "http_5xx", answer: status(500) },
    { name: "not modified, unasked", failure: "http_unexpected", answer: status(304) },
    { name: "a page with status 200", failure: "html", answer: bytes(answers.htmlPage) },
    { name: "an image", failure: "not_text", answer: bytes(png, { "content-type": "image/png" }) },
    { name: "an image that claims to be text", failure: "not_text", answer: bytes(png) },
    { name: "nothing", failure: "empty", answer: bytes("") },
    { name: "headers that never come", failure: "timeout", answer: answers.silence },
    { name: "a body that stalls", failure: "timeout", answer: answers.stalled },
    { name: "an endless body", failure: "too_large", answer: answers.endless(Buffer.alloc(65_536, "a")) },
    { name: "a gzip bomb", failure: "too_large", answer: answers.bomb(64 * 1024 * 1024) },
    {
      name: "a broken encoding",
      failure: "bad_encoding",
      answer: bytes(deflateRawSync("# x"), { "content-encoding": "gzip" }),
    },
    {
      name: "an unknown encoding",
      failure: "bad_encoding",
      answer: bytes(gzipSync("# x"), { "content-encoding": "zstd" }),
    },
    { name: "a redirect loop", failure: "redirect_loop", answer: answers.redirectLoop },
    { name: "too long a chain", failure: "too_many_redirects", answer: answers.redirectChain(6) },
    { name: "a redirect inwards", failure: "refused_address", answer: answers.redirect(privateTarget) },
    { name: "a redirect to another scheme", failure: "invalid_url", answer: answers.redirect("file:///etc/passwd") },
    { name: "a connection cut in the body", failure: "cut", answer: answers.cutInBody },
    { name: "a connection cut at once", failure: "cut", answer: answers.cutAtOnce },
    { name: "robots that disallow", failure: "robots_disallowed", robots: bytes("User-agent: *\nDisallow: /\n") },
    { name: "robots that fail", failure: "robots_unreachable", robots: status(500) },
  ].map((hazard) => ({ robots: allowAll, answer: answers.file(), ...hazard }));
}
