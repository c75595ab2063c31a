type Answer = { status: number; headers: Readonly<Record<string, unknown>> };

const maxAttempts = 5;

/**
 * Requests a document, then again with its ETag, and returns the second answer. Starts over if the document changed in
 * between: test files that run at the same time change the data of the shared app.
 */
export async function revalidate<A extends Answer>(
  request: (headers: Record<string, string>) => Promise<A>,
): Promise<A> {
  for (let attempt = 1; ; attempt++) {
    const { etag } = (await request({})).headers;
    const second = await request({ "if-none-match": String(etag) });
    if (second.headers.etag === etag || attempt === maxAttempts) return second;
  }
}
