import { expect, it } from "vitest";
import { readSetCookie } from "../../../app/(site)/pricing/read-set-cookie";

it("a cookie of a purchase keeps its name, value and every attribute", () => {
  const text = "__Host-tapedeck_checkout=aB_-9; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure";
  expect(readSetCookie(text)).toEqual({
    name: "__Host-tapedeck_checkout",
    value: "aB_-9",
    path: "/",
    maxAge: 2_592_000,
    httpOnly: true,
    secure: true,
    sameSite: "lax",
  });
  expect(readSetCookie("a=b=c; Path=/")).toEqual({
    ...{ name: "a", value: "b=c", path: "/", httpOnly: false, secure: false, sameSite: "lax" },
  });
});
