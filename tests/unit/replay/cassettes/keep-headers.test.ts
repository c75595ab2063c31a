import { expect, it } from "vitest";
import { keepHeaders } from "#lib/replay/cassettes/index";
import { requireProvider } from "#lib/replay/providers/index";

it("a cassette of Gemini keeps where a client has to upload a file", () => {
  const upload = { "x-goog-upload-status": "active", "x-goog-upload-url": "https://upload.test/?upload_id=1" };
  const headers = { ...upload, "content-type": "text/plain", "set-cookie": "session=1", "alt-svc": "h3" };
  expect(keepHeaders(requireProvider("gemini"), headers)).toEqual({ ...upload, "content-type": "text/plain" });
});

it("a cassette of any provider keeps when what was called ends, and the name of a file", () => {
  const kept = {
    deprecation: "@1764547200",
    sunset: "Fri, 11 Dec 2026 23:59:59 GMT",
    "content-disposition": 'attachment; filename="report.csv"',
  };
  expect(keepHeaders(requireProvider("ollama"), { ...kept, server: "x" })).toEqual(kept);
});
