type Fetch = typeof globalThis.fetch;

/** Statuses whose answers have no body. */
const emptyStatuses = [101, 204, 205, 304];

/**
 * `fetch` for the configured provider, whose answers end with an error beyond a size, and whose redirects are errors:
 * the key goes where the operator sent it.
 */
export function createBoundedFetch(maxByteSize: number): Fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "error" });
    const { status, statusText, headers } = response;
    if (!response.body || emptyStatuses.includes(status)) return response;
    let byteSize = 0;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        byteSize += chunk.byteLength;
        if (byteSize > maxByteSize) controller.error(new Error(`The answer has more than ${maxByteSize} bytes.`));
        else controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
  };
}
