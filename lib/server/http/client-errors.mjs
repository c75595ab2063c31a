/** Status and body by the code of the error that Node.js's HTTP parser reports. All others are 400. */
const replies = {
  HPE_HEADER_OVERFLOW: { status: "431 Request Header Fields Too Large", error: "The headers are larger than 16 KiB." },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: "413 Payload Too Large", error: "The chunk extensions are too large." },
  ERR_HTTP_REQUEST_TIMEOUT: { status: "408 Request Timeout", error: "The request was not complete in time." },
};
const malformed = { status: "400 Bad Request", error: "The request is not valid HTTP/1.1." };

/**
 * Answers what is not a valid HTTP request with a JSON error, and closes the connection. If a response has been started,
 * it only closes the connection.
 *
 * @param {NodeJS.ErrnoException} error
 * @param {import("node:net").Socket & { _httpMessage?: { _headerSent: boolean } }} socket
 */
export function answerClientError({ code }, socket) {
  if (socket.writable && !socket._httpMessage?._headerSent) {
    const { status, error } = replies[code] ?? malformed;
    const statusCode = Number.parseInt(status, 10);
    const body = `${JSON.stringify({ error, code: statusCode === 413 ? "payload_too_large" : "bad_request", status: statusCode })}\n`;
    const head = [
      `HTTP/1.1 ${status}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${body.length}`,
      "Cache-Control: no-store",
      "Connection: close",
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  }
  socket.destroySoon();
}
