import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { readVcr } from "#lib/replay/recording-proxy/import/read-vcr";
import { codePoint } from "#tests/support/code-point";
import { propertyRuns } from "#tests/support/extended";

const read = (file: string, text: string) =>
  readVcr({ file, bytes: Buffer.from(text) }).map((exchange) => {
    if ("unreadable" in exchange) throw new Error(`${exchange.place}: ${exchange.unreadable}`);
    return exchange;
  });
const url = "https://api.openai.com/v1/chat/completions";

/** As vcrpy writes it: lists of header values, and bytes that are no text in base64. */
const vcrpy = `interactions:
- request:
    body: '{"model": "gpt-test-1", "messages": [{"role": "user", "content": "It''s
      \u00e9t\u00e9"}]}'
    headers:
      Accept: ['*/*']
      authorization:
      - Bearer one
    method: POST
    uri: ${url}
  response:
    body:
      string: !!binary |
        H4sIAAAA
    headers:
      Content-Encoding:
      - gzip
      Date:
      - Wed, 04 Nov 2026 10:00:00 GMT
    status:
      code: 200
      message: OK
version: 1
`;

/** As VCR for Ruby writes it. */
const ruby = `---
http_interactions:
- request:
    method: post
    uri: ${url}
    body:
      encoding: UTF-8
      string: '{"model":"gpt-test-1"}'
    headers:
      Authorization:
      - Bearer <KEY>
  response:
    status:
      code: 429
      message: Too Many Requests
    headers: {}
    body:
      encoding: ASCII-8BIT
      base64_string: |
        eyJlcnJvciI6
        e319
    http_version: null
  recorded_at: Wed, 04 Nov 2026 10:00:00 GMT
recorded_with: VCR 6.3.1
`;

/** As pydantic-ai keeps JSON, and go-vcr names the fields. */
const parsed = `interactions:
- request:
    method: POST
    parsed_body: {model: gpt-test-1, temperature: 1.0, seed: 12345678901234567890, stream: false}
    uri: ${url}
  response:
    parsed_body:
      choices: []
    status: {code: 200, message: OK}
- request:
    body: ""
    method: GET
    url: https://api.openai.com/v1/models
  response:
    body: "{}"
    status: 404 Not Found
    code: 404
`;

describe("a cassette of VCR", () => {
  it("of vcrpy, with the bytes that were on the wire", () => {
    const [exchange, ...others] = read("a.yaml", vcrpy);
    expect(others).toEqual([]);
    expect(exchange).toMatchObject({
      place: "interaction 1",
      method: "POST",
      url,
      status: 200,
      isRebuilt: false,
      requestHeaders: { accept: "*/*", authorization: "Bearer one" },
      headers: { "content-encoding": "gzip" },
      recordedAt: new Date("2026-11-04T10:00:00Z"),
    });
    expect(JSON.parse(Buffer.from(exchange?.requestBody ?? []).toString())).toEqual({
      model: "gpt-test-1",
      messages: [{ role: "user", content: "It's été" }],
    });
    expect(Buffer.from(exchange?.body ?? []).toString("hex")).toBe("1f8b08000000");
  });

  it("of VCR for Ruby", () => {
    const [exchange] = read("a.yml", ruby);
    expect(exchange).toMatchObject({ method: "POST", status: 429, recordedAt: new Date("2026-11-04T10:00:00Z") });
    expect(Buffer.from(exchange?.body ?? []).toString()).toBe('{"error":{}}');
  });

  it("with JSON that was kept parsed, and with the fields of go-vcr", () => {
    const exchanges = read("a.yaml", parsed);
    expect(exchanges.map(({ requestBody }) => Buffer.from(requestBody).toString())).toEqual([
      '{"model":"gpt-test-1","temperature":1.0,"seed":12345678901234567890,"stream":false}',
      "",
    ]);
    expect(exchanges.map(({ status, isRebuilt, body }) => [status, isRebuilt, Buffer.from(body).toString()])).toEqual([
      [200, true, '{"choices":[]}'],
      [404, false, "{}"],
    ]);
  });

  it("of any interactions comes back as it was written, in YAML and in JSON", () => {
    const text = fc
      .string({ unit: codePoint, maxLength: 60 })
      .map((value) => value.replace(/[\x85\u2028\u2029]/g, "?"));
    const interaction = fc.record({
      request: fc.record({
        method: fc.constantFrom("POST", "GET"),
        uri: fc.webUrl({ withQueryParameters: true }),
        body: fc.oneof(text, fc.constant(null)),
        headers: fc.dictionary(fc.stringMatching(/^[a-z][a-z-]{0,9}$/), fc.array(fc.stringMatching(/^[!-~]{1,20}$/))),
      }),
      response: fc.record({
        status: fc.record({ code: fc.integer({ min: 200, max: 599 }), message: fc.constant("X") }),
        body: fc.record({ string: text }),
        headers: fc.constant({ "content-type": ["text/event-stream"] }),
      }),
    });
    fc.assert(
      fc.property(fc.array(interaction, { maxLength: 4 }), (interactions) => {
        const document = { interactions, version: 1 };
        for (const [file, written] of [
          ["a.yaml", stringify(document, { version: "1.1", aliasDuplicateObjects: false })],
          ["a.json", JSON.stringify(document)],
        ] as const) {
          const exchanges = read(file, written);
          const seen = exchanges.map(({ method, url, status, requestBody, body, requestHeaders }) => ({
            method,
            url,
            status,
            requestHeaders,
            sent: Buffer.from(requestBody).toString(),
            received: Buffer.from(body).toString(),
          }));
          expect(seen).toEqual(
            interactions.map(({ request, response }) => ({
              method: request.method,
              url: request.uri,
              status: response.status.code,
              requestHeaders: Object.fromEntries(Object.entries(request.headers).map(([k, v]) => [k, v.join(", ")])),
              sent: Buffer.from(request.body ?? "").toString(),
              received: Buffer.from(response.body.string).toString(),
            })),
          );
        }
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it.each([
    ["a.yaml", "interactions:\n- request: [\n", "a.yaml: line 3: Flow sequence in block collection must be"],
    ["a.yaml", "a: 1\n", "a.yaml: is not a cassette of VCR: it has no list of interactions"],
    ["a.json", "{", "a.json: is not valid JSON"],
    [
      "a.yaml",
      "interactions: [{kind: message, direction: sent, data: {}}]",
      "a.yaml: has a WebSocket session, and only HTTP can be imported. Leave this test with the tool that recorded it",
    ],
    ["a.yaml", "interactions: [{request_stream: {}, response_stream: []}]", "a.yaml: has gRPC calls"],
    [
      "a.json",
      JSON.stringify({ interactions: Array(10_001).fill(0) }),
      "a.json: has 10001 interactions; the limit is 10000",
    ],
  ])("%s that is not valid is an error that names the place: %s", (file, text, message) => {
    expect(() => read(file, text)).toThrow(message);
  });

  it.each([
    ["{request: {uri: x}, response: {}}", "request.method: "],
    ["{request: {method: GET}, response: {}}", "response.status has no code"],
    ["{request: {method: GET, body: 1}, response: {code: 200}}", "request.body is neither text, bytes nor JSON"],
    [
      "{request: {method: GET}, response: {code: 200, parsed_body: {a: !!binary AAAA}}}",
      "response.body is neither text, bytes nor JSON",
    ],
  ])("does not lose the others for %s", (bad, message) => {
    const good = "{request: {method: GET, body: {a: 1}}, response: {code: 200}}";
    const bytes = Buffer.from(`interactions:\n- ${bad}\n- ${good}\n`);
    expect(readVcr({ file: "a.yaml", bytes })).toEqual([
      { place: "interaction 1", unreadable: expect.stringContaining(message) },
      expect.objectContaining({ place: "interaction 2", requestBody: Buffer.from('{"a":1}') }),
    ]);
  });

  it("keeps headers in bytes, and leaves out those that cannot be sent", () => {
    const headers = "{A: !!binary YmU=, B: [1.0, true], C: {d: 1}, D: '\u20ac'}";
    const text = `interactions: [{request: {method: GET, headers: ${headers}}, response: {code: 200, headers: ${headers}}}]`;
    expect(read("a.yaml", text)).toMatchObject([
      { headers: { a: "be", b: "1.0, true" }, requestHeaders: { a: "be" }, omittedHeaders: ["C", "D"] },
    ]);
  });
});
