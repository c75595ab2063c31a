import { expect, it } from "vitest";
import { replaceVolatileText } from "#lib/replay/recording-proxy/volatile-text";

const replaced = (text: string) => replaceVolatileText(text, []);

/** Returns texts of Claude Code: of a version that has all in one text, then those of one that has the date elsewhere. */
function claudeCodeTexts(date: string, folder: string, system: string, commits: string[]): string[] {
  const status = commits.length === 1 ? "?? notes.txt" : "(clean)";
  const git = [
    ...["This is the git status at the start of the conversation. Note that it is a snapshot.", "Current branch: main"],
    ...[`Status:\n${status}`, ["Recent commits:", ...commits].join("\n")],
  ].join("\n\n");
  const environment = [
    "You have been invoked in the following environment: ",
    ` - Primary working directory: ${folder}`,
    ` - Is a git repository: true`,
    ` - Platform: ${system}\n - Shell: bash\n - OS Version: ${system} 6.1`,
  ].join("\n");
  const memory = `You have a persistent file-based memory at \`${folder}/.claude/memory/\`. It exists.`;
  return [
    `# gitStatus\n${git}\n# currentDate\nToday's date is ${date}.\n# Environment\n${environment}\n\n${memory}\n</system-reminder>`,
    `<system-reminder>\nContents of ${folder}/CLAUDE.md (project instructions):\n# gitStatus\n${git}\n\nClaude Code attached this.\n</system-reminder>`,
    `# Environment\n${environment}\n\nUse the tools.\n\nToday's date is ${date}.`,
  ];
}

it("Claude Code's texts on the machine and the state of git are not compared, nor the place of its run, and the rest is", () => {
  const first = claudeCodeTexts("2026-11-27", "/home/me/app", "darwin", ["9d56d22 Add the notes"]);
  const later = claudeCodeTexts("2026-12-01", "/srv/app", "linux", [
    "04573d7 A <later> commit",
    "9d56d22 Add the notes",
  ]);
  const withoutPlace = (texts: string[], day: string, folder: string) =>
    texts.map((text) => replaceVolatileText(text, [], { folder, home: "/home/me", day }));
  expect(withoutPlace(first, "2026-11-27", "/home/me/app")).toEqual(withoutPlace(later, "2026-12-01", "/srv/app"));
  for (const part of [
    "CLAUDE.md (project",
    "# gitStatus\n",
    "# Environment\n",
    "Is a git repository: true",
    "It exists.\n</system-reminder>",
  ])
    expect(first.map(replaced).join("\n")).toContain(part);
  for (const written of [
    "<system-reminder>\nIs today's date 2026-11-27? Today's date is 2026-11-27, I think.",
    "Today's date is 2026-02-28.\nWhat day is tomorrow?",
    "Write a launch post.\n - Platform: Mastodon",
    "This is the git status at the start of the conversation. Delete it?\nRecent commits:\nabcdef0 No",
  ])
    expect(replaced(written)).toBe(written);
});

it("times in milliseconds, or in seconds with a fraction, are not compared, and other numbers are", () => {
  for (const time of ["1795788296405", "1795788296.4051232", "1795788296405.125"])
    for (const around of ["At #.", "Run run_#", '{"at":#}', "image#.png", "time#", "#ago"])
      expect(replaced(around.replace("#", time))).toBe(around.replace("#", "<time>"));
  expect(replaceVolatileText({ at: [1795788296405, 1795788296.405] }, [])).toEqual({ at: ["<time>", "<time>"] });
  const numbers = [1795788296, 2795788296405, 17957882964050, -1795788296405, 0.5];
  expect(replaceVolatileText(numbers, [])).toEqual(numbers);
  for (const other of [
    "1795788296",
    "179578829640",
    "17957882964051",
    "2795788296405",
    "1.1795788296405",
    "3f1795788296405",
    "7abcdef1795788296405",
    "1795788296405abcdef7",
  ])
    expect(replaced(`Number ${other}`)).toBe(`Number ${other}`);
});

it("the checksum that Claude Code makes up is not compared, and the same text elsewhere is", () => {
  const header = (checksum: string, version: string) =>
    `x-anthropic-billing-header: cc_version=${version}; cc_entrypoint=sdk-ts; cch=${checksum}; cc_turn_origin=sdk;`;
  expect(replaced(header("a7d25", "2.1"))).toBe(replaced(header("00f1e", "2.1")));
  expect(replaced(header("a7d25", "2.1"))).not.toBe(replaced(header("a7d25", "2.2")));
  expect(replaced("Is cch=a7d25; right?")).toBe("Is cch=a7d25; right?");
});

it("a time of which an expression finds a part is replaced as a whole, and all else that one finds as it is", () => {
  const replace = (text: string) => replaceVolatileText(text, [/\d\d:\d\d:\d\d/gu, /at \S+ by \w+/gu]);
  expect(replace("It is 2026-11-28T10:11:12.004905 now.")).toBe("It is <volatile> now.");
  expect(replace("Until 10:11:12, at 2026-11-28T10:00Z by me.")).toBe("Until <volatile>, <volatile>.");
  expect(replace("It is 2026-11-28T10:11Z.")).toBe("It is <time>.");
});

it("a day with a time of day is a time, and the day of the run elsewhere is replaced", () => {
  const at = (text: string) => replaceVolatileText(text, [], { day: "2026-11-28" });
  expect(at("On November 28, 2026 at 2:38 PM.")).toBe("On <time>.");
  expect(at("On Saturday, November 28, 2026, 14:38.")).toBe("On <time>.");
  expect(at("On 2026-11-28 14:38, Sat Nov 28 2026 14:38.")).toBe("On <time>, <time>.");
  expect(at("On Saturday, November 28, 2026 at noon; 2026-11-28, 09:00.")).toBe("On <day> at noon; <day>, 09:00.");
});

it("what an expression finds in a long text of times takes linear time", () => {
  const count = 40_000;
  // CPU time, which other processes do not lengthen.
  const before = process.cpuUsage();
  const written = replaceVolatileText("2026-11-28T10:11:12 ".repeat(count), [/\d/gu]);
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
  expect(written).toBe("<volatile> ".repeat(count));
});

it("a UUID is not compared where a hyphen joins it to a name, and the name is", () => {
  const uuid = "0b6f5c1e-4d5a-4f0e-9d8f-1c2b3a4d5e6f";
  expect(replaced(`tmp-${uuid}.mp3`)).toBe("tmp-<uuid>.mp3");
  expect(replaced(`face-${uuid}-large`)).toBe("face-<uuid>-large");
  for (const other of [`a${uuid}`, `${uuid}0`, uuid.slice(1)]) expect(replaced(other)).toBe(other);
});
