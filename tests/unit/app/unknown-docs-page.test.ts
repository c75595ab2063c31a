import { expect, it } from "vitest";
import { isUnknownDocsPage } from "#app/unknown-docs-page";

const slugs = ["replay", "decisions/2026-11-21-one-pacer"];

it.each([
  "/docs/nothing",
  "/docs/nothing/",
  "/docs/decisions",
  "/docs/replay/more",
  "/docs/api/nothing",
  "/docs/%72eplay",
])("%s is no page of the docs", (path) => {
  expect(isUnknownDocsPage(path, slugs)).toBe(true);
});

it.each([
  ...["/docs", "/docs/", "/docs/replay", "/docs/replay/", "/docs/decisions/2026-11-21-one-pacer"],
  ...["/docs/api", "/docs/api/replay", "/docs/api/keys-and-billing", "/docs/search-results"],
  ...["/docs/nothing.md", "/vendors/nothing", "/"],
])("%s is left to its route", (path) => {
  expect(isUnknownDocsPage(path, slugs)).toBe(false);
});

it("without the list, every page of content/docs is left to its route", () => {
  expect(isUnknownDocsPage("/docs/nothing", undefined)).toBe(false);
  expect(isUnknownDocsPage("/docs/api/nothing", undefined)).toBe(true);
});
