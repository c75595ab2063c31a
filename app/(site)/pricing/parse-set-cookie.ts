/** A cookie as Next's cookie store takes it. */
export type NextCookie = {
  name: string;
  value: string;
  path?: string;
  maxAge?: number;
  httpOnly: boolean;
  secure: boolean;
  sameSite: "lax" | "strict";
};

/** A `Set-Cookie` of ours for Next's cookie store: an answer of an action takes no headers. */
export function parseSetCookie(text: string): NextCookie {
  const [pair = "", ...attributes] = text.split("; ");
  const at = pair.indexOf("=");
  const given = new Map(
    attributes.map((attribute) => {
      const [name = "", value = ""] = attribute.split("=");
      return [name.toLowerCase(), value];
    }),
  );
  return {
    name: pair.slice(0, at),
    value: pair.slice(at + 1),
    path: given.get("path"),
    ...(given.has("max-age") ? { maxAge: Number(given.get("max-age")) } : {}),
    httpOnly: given.has("httponly"),
    secure: given.has("secure"),
    sameSite: given.get("samesite")?.toLowerCase() === "strict" ? "strict" : "lax",
  };
}
