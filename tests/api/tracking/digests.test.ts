import { expect, inject, it } from "vitest";

it("the pages of a mail's links are 404 for an unknown link, and mail programs get 200", async () => {
  const ask = async (kind: "confirm" | "unsubscribe", method: "GET" | "POST", body = "") => {
    const url = `${inject("baseUrl")}/api/v1/digests/${kind}?token=${"a".repeat(43)}`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const response = await fetch(url, { method, headers, ...(body && { body }) });
    return [response.status, /<h1[^>]*>([^<]*)</.exec(await response.text())?.[1]];
  };
  const invalid = [404, "This link is not valid"];
  expect(await ask("confirm", "GET")).toEqual(invalid);
  expect(await ask("unsubscribe", "GET")).toEqual(invalid);
  expect(await ask("unsubscribe", "POST")).toEqual(invalid);
  expect(await ask("unsubscribe", "POST", "List-Unsubscribe=One-Click")).toEqual([200, "You are unsubscribed"]);
});
