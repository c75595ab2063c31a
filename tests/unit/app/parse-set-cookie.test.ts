import { expect, it } from "vitest";
import { parseSetCookie } from "../../../app/(site)/pricing/parse-set-cookie";

it("parses a purchase cookie with its name, value and every attribute", () => {
  const text = "__Host-tapedeck_checkout=aB_-9; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure";
  expect(parseSetCookie(text)).toEqual({
    name: "__Host-tapedeck_checkout",
    value: "aB_-9",
    path: "/",
    maxAge: 2_592_000,
    httpOnly: true,
    secure: true,
    sameSite: "lax",
  });
  expect(parseSetCookie("a=b=c; Path=/")).toEqual({
    name: "a",
    value: "b=c",
    path: "/",
    httpOnly: false,
    secure: false,
    sameSite: "lax",
  });
});
