type Json = Record<string, unknown>;

type Exchange = {
  url: string;
  /** Body of the request. Default: a GET request without one. */
  request?: unknown;
  type?: string;
  text: string;
  /** Headers of the answer besides its type, and fields of its content and of the entry. */
  headers?: Record<string, string>;
  content?: Json;
  entry?: Json;
};

/** Returns an entry of a HAR file, whose answer has the status 200. */
export function harEntry({ url, request, type = "text/event-stream", text, headers, content, entry }: Exchange): Json {
  const sent =
    request === undefined ? { method: "GET" } : { method: "POST", postData: { text: JSON.stringify(request) } };
  return {
    startedDateTime: "2026-11-01T10:00:00.000Z",
    request: { url, ...sent },
    response: {
      status: 200,
      headers: Object.entries({ "Content-Type": type, ...headers }).map(([name, value]) => ({ name, value })),
      content: { mimeType: type, text, ...content },
    },
    ...entry,
  };
}

/** Returns the text of a HAR file. */
export const harOf = (...entries: Json[]) => JSON.stringify({ log: { creator: { name: "Browser" }, entries } });
