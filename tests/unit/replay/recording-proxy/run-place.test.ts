import { expect, it } from "vitest";
import { replacePlace, sourceWithPlace } from "#lib/replay/recording-proxy/run-place";

const place = { folder: "/home/ann/app", home: "/home/ann", day: "2026-11-07" };
const replaced = (text: string, at = {}) => replacePlace(text, { ...place, ...at });

it.each([
  ["cd /home/ann/app.", "cd <folder>."],
  ["<cwd>/home/ann/app</cwd>", "<cwd><folder></cwd>"],
  ["PWD=/home/ann/app:/home/ann", "PWD=<folder>:<home>"],
  ["file:///home/ann/app/a.ts", "file://<folder>/a.ts"],
  [String.raw`{"cmd":"ls\n/home/ann/app/a"}`, String.raw`{"cmd":"ls\n<folder>/a"}`],
  ["/home/ann/app-old /home/ann/app.git", "<home>/app-old <home>/app.git"],
  ["~/.claude/projects/-home-ann-app/memory", "~/.claude/projects/<folder>/memory"],
  ["On 2026-11-07, Saturday, November 7, 2026, or Sat Nov 07 2026", "On <day>, <day>, or <day>"],
])("in %j, the place and the day of the run are put aside", (text, expected) => {
  expect(replaced(text)).toBe(expected);
});

it.each([
  "/mnt/home/ann/app",
  "https://example.com/home/ann",
  "../home/ann",
  "/home/anna",
  "a-home-ann-app",
  "2026-11-077 v2026-11-07-1 2026-11-07 09:30",
])("%j is neither the place nor the day of the run", (text) => {
  expect(replaced(text)).toBe(text);
});

it("a folder with a short name is found as a whole path only, and the root of all never", () => {
  const text = "/app/a.ts, /apps, my/app, -app, https://a.test/app and / itself";
  expect(replaced(text, { folder: "/app" })).toBe(
    "<folder>/a.ts, /apps, my/app, -app, https://a.test/app and / itself",
  );
  expect(replaced(text, { folder: "/", home: "/" })).toBe(text);
});

it("a folder of Windows is found with its backslashes escaped, and with slashes", () => {
  const folder = "C:\\Users\\Ann";
  expect(replaced(String.raw`C:\Users\Ann\a C:\\Users\\Ann\\a C:/Users/Ann/a`, { folder, home: undefined })).toBe(
    String.raw`<folder>\a <folder>\\a <folder>/a`,
  );
});

it("a recording says only what its request names of its run", () => {
  const source = { base_url: "https://api.openai.com", folder: "/old" };
  const at = (text: string, day: string) =>
    sourceWithPlace(source, { body: { json: { text } }, place }, new Date(`${day}T12:00:00Z`));
  expect(at("Hello", "2026-11-07")).toEqual({ base_url: source.base_url });
  expect(at("cd /home/ann/app-old on 2026-11-07", "2026-11-07")).toEqual({
    base_url: source.base_url,
    home: place.home,
  });
  expect(at("cd /home/ann/app on 2026-11-07", "2026-11-08")).toEqual({ base_url: source.base_url, ...place });
});
