/** The smallest media that a client can decode: a red pixel, and a silent WAV. */
export const redPixelPng =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
export const silentWav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

export const pngType = "image/png";
export const wavType = "audio/wav";

/** Returns a tool result with one text. */
export function textResult(text: string) {
  return { content: [{ type: "text" as const, text }] };
}

export function resourceContent(uri: string, mimeType: string, text: string) {
  return { type: "resource" as const, resource: { uri, mimeType, text } };
}
