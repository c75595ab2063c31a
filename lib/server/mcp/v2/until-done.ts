/** The response, calling `onDone` once when its body has been read to the end, cancelled or failed. */
export function untilDone(response: Response, onDone: () => void): Response {
  if (!response.body) {
    onDone();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        onDone();
        throw error;
      });
      if (!done) return controller.enqueue(value);
      onDone();
      controller.close();
    },
    async cancel(reason) {
      onDone();
      await reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
