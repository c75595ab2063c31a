/** A cookie in the format of Next's cookie store. */
type NextCookie = {
  name: string;
  value: string;
  path?: string;
  maxAge?: number;
  httpOnly: boolean;
  secure: boolean;
  sameSite: "lax" | "strict";
};

/** Parses one of our own `Set-Cookie` headers for Next's cookie store, because server actions cannot set headers. */
export function parseSetCookie(text: string): NextCookie {
  const [pair = "", ...attributes] = text.split("; ");
  const at = pair.indexOf("=");
  const values = new Map(
    attributes.map((attribute) => {
      const [name = "", value = ""] = attribute.split("=");
      return [name.toLowerCase(), value];
    }),
  );
  return {
    name: pair.slice(0, at),
    value: pair.slice(at + 1),
    path: values.get("path"),
    ...(values.has("max-age") ? { maxAge: Number(values.get("max-age")) } : {}),
    httpOnly: values.has("httponly"),
    secure: values.has("secure"),
    sameSite: values.get("samesite")?.toLowerCase() === "strict" ? "strict" : "lax",
  };
}
