import { describe, expect, it } from "vitest";
import { bodyInFormat } from "#lib/tracking/webhooks/sending/chat-formats";

type Json = Record<string, unknown>;

const url = "https://tapes.example/vendors/quarrydb/diffs/d-1";
const vendor = { name: "QuarryDB" };
const eventWith = (summary: string, more: Json = {}, link: string | undefined = url) =>
  JSON.stringify({
    id: "e-1",
    created_at: "2026-11-21T09:30:00.000Z",
    ...more,
    data: { url: link, report: { summary, significance: 5, categories: ["api-change", "deprecation"], vendor } },
  });
const written = (format: "slack" | "discord" | "teams", body: string) => JSON.parse(bodyInFormat(format, body)) as Json;
const body = eventWith("Keys end on <1 March> & later.");

describe("a delivery", () => {
  it("has the stored bytes without a format", () => {
    expect(bodyInFormat("json", body)).toBe(body);
  });

  it("is a message of Slack, with a text for notifications", () => {
    expect(written("slack", body)).toEqual({
      text: "QuarryDB changed: Keys end on &lt;1 March&gt; &amp; later.",
      blocks: [
        { type: "header", text: { type: "plain_text", text: "QuarryDB changed", emoji: false } },
        { type: "section", text: { type: "plain_text", text: "Keys end on <1 March> & later.", emoji: false } },
        {
          type: "context",
          elements: [
            {
              type: "mrkdwn",
              text: `Significance: 5 of 5 · Categories: api-change, deprecation · <${url}|See the change>`,
            },
          ],
        },
      ],
    });
  });

  it("is an embed of Discord that notifies nobody, with its Markdown as text", () => {
    expect(written("discord", eventWith("@everyone **read** [this](x)"))).toEqual({
      embeds: [
        {
          title: "QuarryDB changed",
          description: "@everyone \\*\\*read\\*\\* \\[this\\]\\(x\\)",
          url,
          color: 0xb42318,
          fields: [
            { name: "Significance", value: "5 of 5", inline: true },
            { name: "Categories", value: "api-change, deprecation", inline: true },
          ],
          timestamp: "2026-11-21T09:30:00.000Z",
        },
      ],
      allowed_mentions: { parse: [] },
    });
  });

  it("is an adaptive card for a workflow of Teams", () => {
    const text = (value: string, more = {}) => ({
      type: "RichTextBlock",
      inlines: [{ type: "TextRun", text: value, ...more }],
    });
    expect(written("teams", body)).toEqual({
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          contentUrl: null,
          content: {
            $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
            type: "AdaptiveCard",
            version: "1.4",
            body: [
              text("QuarryDB changed", { weight: "bolder", size: "medium" }),
              text("Keys end on <1 March> & later."),
              {
                type: "FactSet",
                facts: [
                  { title: "Significance", value: "5 of 5" },
                  { title: "Categories", value: "api-change, deprecation" },
                ],
              },
            ],
            actions: [{ type: "Action.OpenUrl", title: "See the change", url }],
          },
        },
      ],
    });
  });

  it.each(["slack", "discord", "teams"] as const)(
    "of %s names a test, links nowhere without a URL, and is short",
    (format) => {
      const test = JSON.stringify(written(format, eventWith("Keys end.", { test: true }, "")));
      expect([test.includes("Test: QuarryDB"), test.includes("See the change")]).toEqual([true, false]);
      const long = JSON.stringify(written(format, eventWith("🧪*".repeat(20_000))));
      expect(Buffer.byteLength(long)).toBeLessThan(28 * 1024);
      if (format !== "discord") return;
      const [{ description }] = (
        written(format, eventWith("*".repeat(20_000))) as { embeds: [{ description: string }] }
      ).embeds;
      expect(description.length).toBeLessThanOrEqual(4_096);
    },
  );
});
