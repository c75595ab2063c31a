import { request as httpRequest, type IncomingMessage } from "node:http";

export type Arrival = { atMs: number; bytes: Buffer };
export type ReadStream = {
  status: number;
  headers: IncomingMessage["headers"];
  chunks: Arrival[];
  body: Buffer;
  cut: boolean;
};

type Options = {
  headers?: Record<string, string>;
  method?: string;
  body?: string;
  /** The client's address on this machine. Requests without a key are counted for it, beside those of other tests. */
  localAddress?: string;
  /** Called when the request was sent. */
  onSent?: () => void;
};

/** Reads a response with a raw HTTP client: each piece of the body with its time since the request was sent. */
export function readStream(
  url: string,
  { headers = {}, method = "GET", body, localAddress, onSent }: Options = {},
): Promise<ReadStream> {
  return new Promise((settle, reject) => {
    const startedAtMs = performance.now();
    const request = httpRequest(
      url,
      { headers, method, agent: false, ...(localAddress && { localAddress }) },
      (response) => {
        const chunks: Arrival[] = [];
        const done = (cut: boolean) =>
          settle({
            status: response.statusCode ?? 0,
            headers: response.headers,
            chunks,
            body: Buffer.concat(chunks.map(({ bytes }) => bytes)),
            cut,
          });
        response.on("data", (bytes: Buffer) => chunks.push({ atMs: performance.now() - startedAtMs, bytes }));
        response.on("end", () => done(false));
        response.on("error", () => done(true));
      },
    );
    request.on("error", reject);
    if (onSent) request.on("finish", onSent);
    request.end(body);
  });
}
