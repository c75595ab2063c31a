/** The origin in the examples of the docs' files and of the endpoints' declarations. */
export const exampleOrigin = "http://127.0.0.1:3000";

/** Returns a text whose examples use an origin instead of `exampleOrigin`, so that they work as copied. */
export function textWithOrigin(text: string, origin: string): string {
  return text.replaceAll(exampleOrigin, () => origin);
}
