import {
  announcementKinds,
  announcementsIn,
  datePattern,
  datesIn,
  isEnd,
  judgeAnnouncement,
} from "#lib/tracking/wording/index";
import { type Node, textAt } from "./document";

type TextDifference = { change: string; docOnly?: boolean; deprecates?: boolean; significance?: number };

export const textChange = { change: "has another description", docOnly: true } as const;

const maxReadLineCount = 200;

/**
 * Returns what is written of another text, undefined if it is the same: what it newly announces to end or to break, and when, but
 * none of its own words.
 */
export function compareTexts(before: string, after: string): TextDifference | undefined {
  if (before === after) return undefined;
  const [old, now] = [before, after].map((text) => new Set(text.split(/\r?\n/)));
  const replaced = [...old!].filter((line) => !now!.has(line)).join(" ");
  const [first] = [...now!]
    .filter((line) => !old!.has(line))
    .slice(0, maxReadLineCount)
    .flatMap((line) => announcementsIn(line, { replaced, text: before }))
    .filter(isEnd)
    .sort((a, b) => judgeAnnouncement(b) - judgeAnnouncement(a));
  if (!first) return textChange;
  const [date] = datePattern.exec(first.sentence) ?? [];
  const { opening } = announcementKinds[first.kind];
  const change = `${opening.replace("Announces", "announces")}${date ? ` (${date})` : ""}`;
  return { change, deprecates: first.kind === "deprecation", significance: judgeAnnouncement(first) };
}

/** Returns what is written of another end of an operation, in the extension `x-sunset` or `x-sunset-date`. */
export function compareSunsets(was: Node, is: Node): TextDifference | undefined {
  const [old, now] = [was, is].map((node) => datesIn(textAt(node, "x-sunset") || textAt(node, "x-sunset-date"))[0]);
  if (old === now) return undefined;
  if (!now) return { change: `no longer ends on ${old}`, deprecates: true };
  const change = old ? `ends on ${now} instead of ${old}` : `ends on ${now}`;
  return { change, deprecates: true, significance: !old || Date.parse(now) < Date.parse(old) ? 5 : 4 };
}
