import { expect, test, vi } from "vitest";
import { describeDifference } from "#lib/platform/json-difference";
import { addReports, emptyReport, type Miss } from "#lib/replay/recording-proxy/report";
import { describeAll, describeReports } from "#lib/replay/recording-proxy/session-report";
import { nameRedactions } from "#lib/replay/recording-proxy/store-exchange";

vi.mock("#lib/platform/json-difference", { spy: true });

function reportOf(name: string, change: Partial<Miss>) {
  const differences = [{ pointer: "/messages/0/content", before: "Be brief.", after: "Be brave." }];
  const miss: Miss = {
    test: name,
    request: "POST /v1/messages",
    reason: "No recording has this request",
    nearest: { file: "001.cassette.json", differences },
    ...change,
  };
  return { ...emptyReport(name, name), requests: 1, misses: [miss] };
}

test("misses of one kind are shown once, with the tests that have them", () => {
  const differences = [{ pointer: "/messages/4/content", before: "Be brief.", after: "Be brave." }];
  const reports = [
    reportOf("one", {}),
    reportOf("two", { nearest: { file: "007.cassette.json", differences } }),
    ...Array.from({ length: 6 }, (_, index) => reportOf(`more ${index}`, {})),
    reportOf("another", { reason: "The tape has no recordings: tapes/another", nearest: null }),
  ];
  const lines = describeReports(reports).join("\n");
  expect(lines.match(/no recording of POST/g)).toHaveLength(2);
  expect(lines).toContain('The same for 7 more: "two", "more 0", "more 1", "more 2", "more 3" and 2 more tests.');
  expect(lines).toContain("9 missed");
  // The texts of the tests have the rest.
  expect(lines).toContain(
    '"one": no recording of POST /v1/messages. Nearest is 001.cassette.json: /messages/0/content was',
  );
  expect(lines).toContain(
    'more tests.\n  "another": no recording of POST /v1/messages. The tape has no recordings: tapes/another.\n',
  );
  expect(lines).toMatch(/\n {2}Every difference, and what to do: .* why$/);
});

test("requests that differ in volatile texts are counted, also those that a report has as one", () => {
  const accepted = [{ file: "001.cassette.json", differences: [], times: 40 }];
  const reports = ["one", "two"].map((test) => ({ ...emptyReport(test, test), requests: 40, accepted }));
  const line = '  requests that differ only in times, UUIDs and the like: 80, of "one" and 1 more';
  expect(describeReports(reports)).toContain(line);
});

test("--repeat is named where all recordings of an app have been played, and not for a test", () => {
  const reason = "This request was recorded once, and each recording has been played";
  const textOf = (name: string, change: Partial<Miss>) => describeAll([reportOf(name, change)]).join("\n");
  expect(textOf("default", { reason })).toContain("--repeat plays the last recording again.");
  expect(textOf("one", { reason }) + textOf("default", {})).not.toContain("--repeat");
});

test("the command that records misses is named, also if the first of them has none", () => {
  const reports = [reportOf("one", { failure: "Its host is not on the list." }), reportOf("two", { record: "run it" })];
  expect(describeReports(reports)).toContain("  Record it with: run it");
});

test("of unused recordings, the first are named with their number, and `why` names all", () => {
  const unused = Array.from({ length: 22 }, (_, index) => `${String(index + 1).padStart(3, "0")}.cassette.json`);
  const reports = Array.from({ length: 7 }, (_, index) => ({
    ...emptyReport(`test ${index}`, "one"),
    requests: 1,
    unused,
  }));
  const lines = describeReports(reports).slice(1);
  expect(lines).toHaveLength(6);
  expect(lines[0]).toBe(`  test 0: nothing asked for ${unused.slice(0, 5).join(", ")} and 17 more`);
  expect(lines[5]).toMatch(/^ {2}and recordings of 2 more tests\. All: .* why$/);
  expect(describeAll(reports)[6]).toBe(`  test 6: nothing asked for ${unused.join(", ")}`);
});

test.each([
  ["files", { unused: Array.from({ length: 6 }, (_, index) => `00${index}.cassette.json`) }, "005.cassette.json"],
  [
    "changed words",
    {
      unused: ["001.cassette.json"],
      again: Array.from({ length: 6 }, (_, index) => ({
        file: "001.cassette.json",
        parts: [{ before: `day ${index}`, after: "day 9" }],
      })),
    },
    '"day 5" is now "day 9"',
  ],
  [
    "fields",
    {
      accepted: Array.from({ length: 21 }, (_, index) => ({
        file: "001.cassette.json",
        isByOrder: true,
        differences: [{ pointer: `/metadata/f${index}`, before: "1", after: "2" }],
      })),
    },
    "/metadata/f20",
  ],
])(
  "where %s are left out, the command that has all is named, and without its report none are",
  (_name, found, last) => {
    const report = { ...emptyReport("one", "one"), requests: 1, ...found };
    const lines = describeReports([report]).join("\n");
    expect(lines).not.toContain(last);
    expect(lines).toMatch(/All: .* why$/m);
    expect(describeAll([report]).join("\n")).toContain(last);
    const whole = describeReports([report], { isStored: false }).join("\n");
    expect(whole).toContain(last);
    expect(whole).not.toMatch(/ why|and 1 more/);
  },
);

test("without a stored report, the whole texts of misses are shown", () => {
  const differences = Array.from({ length: 12 }, (_, index) => ({ pointer: `/f${index}`, before: 1, after: 2 }));
  const report = reportOf("one", { nearest: { file: "001.cassette.json", differences }, record: "run it" });
  const lines = describeReports([report], { isStored: false }).join("\n");
  expect(lines).toContain('\n  Tapedeck has no recording for this request of "one".\n  The nearest recording is 001');
  expect(lines).toContain("\n    /f11 was 1 and is now 2\n  Record it with: run it\n");
  expect(lines).not.toContain(" why");
});

test("of removed secrets, five are named with their places", () => {
  const redacted = Array.from(
    { length: 4 },
    (_, index) => `one, 001.cassette.json: /messages/${index}/content: api-key`,
  );
  const reports = ["one", "two"].map((name) => ({ ...emptyReport(name, name), requests: 1, redactions: 6, redacted }));
  const lines = describeReports(reports);
  expect(lines).toContain("  secrets removed before anything was stored: 12");
  expect(lines.filter((line) => line.includes("api-key"))).toHaveLength(5);
  expect(lines).toContain("    one, 001.cassette.json: /messages/3/content: api-key");
  expect(lines).toContain("    and 7 more");
});

test("a secret at one place of several turns is named once", () => {
  const stored = (file: string, places: string[]) => {
    const redactions = places.map((place) => ({ place, rule: "api-key", byte_length: 40 }));
    return { file, cassette: { request: { redactions } } } as unknown as Parameters<typeof nameRedactions>[2];
  };
  const [first, second] = ["/messages/0/content", "/messages/2/content"] as const;
  const known = nameRedactions([], "one", stored("001.cassette.json", Array(5).fill(first)));
  expect(nameRedactions(known, "one", stored("002.cassette.json", [first, first, second]))).toEqual([
    `one, 001.cassette.json: ${first}: api-key`,
    `one, 002.cassette.json: ${second}: api-key`,
  ]);
  const report = { ...emptyReport("one", "one"), redactions: 5, redacted: known };
  expect(addReports(report, report)).toMatchObject({ redactions: 10, redacted: known });
});

test("of requests whose tool results differ, the first one of a field is described, and what to do is said once", () => {
  const accepted = Array.from({ length: 500 }, (_, index) => ({
    file: "001.cassette.json",
    isInResults: true,
    differences: [{ pointer: `/messages/${index}/content`, before: "rain", after: "sun" }],
  }));
  const reports = ["one", "two"].map((name) => ({ ...emptyReport(name, name), requests: 1, accepted }));
  vi.mocked(describeDifference).mockClear();
  const [first, ...lines] = describeReports(reports).slice(-4);
  expect(first).toMatch(/^ {2}played although what tools returned differs: 1000\. Every difference: .* why$/);
  expect(lines).toEqual([
    '    one, 001.cassette.json: /messages/0/content was "rain" and is now "sun"',
    '    and 999 more, of "one", "two"',
    "    --match results records such requests, or refuses them in mode replay.",
  ]);
  expect(describeDifference).toHaveBeenCalledTimes(1);
  // Nothing else has them.
  expect(describeReports(reports.slice(1), { isStored: false })).toHaveLength(1 + 1 + 500 + 1);
});

test("`why` explains misses of one kind once, and names the tests that have them", () => {
  const reports = [
    ...Array.from({ length: 39 }, (_, index) => reportOf(`test ${index}`, {})),
    reportOf("another", { reason: "The tape has no recordings: tapes/another", nearest: null }),
  ];
  const lines = describeAll(reports);
  expect(lines.filter((line) => line.includes("Tapedeck has no recording"))).toEqual([
    'Tapedeck has no recording for this request of "test 0".',
    expect.stringContaining('request of "another".'),
  ]);
  const names = '"test 1", "test 2", "test 3", "test 4", "test 5" and 33 more tests';
  expect(lines).toContain(`The same for 38 more: ${names}.`);
  const unanswered = ["One?", "Two?"].map((answers) => reportOf("one", { answers }));
  expect(describeAll(unanswered)).toEqual(expect.arrayContaining(["One?", "Two?"]));
});

test("a secret that is masked only now is not proposed as a volatile text", () => {
  const linesOf = (after: string) => {
    const again = [{ file: "001.cassette.json", parts: [{ before: "a secret", after }] }];
    return describeReports([
      { ...emptyReport("one", "one"), requests: 1, unused: ["001.cassette.json"], again },
    ]).join();
  };
  expect(linesOf("********")).toContain("To remove it from the tapes:");
  expect(linesOf("********")).not.toContain("volatile_text");
  expect(linesOf("a word")).toContain("volatile_text");
});
